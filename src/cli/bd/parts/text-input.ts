import { type BdCall, BdFailure } from '../command.ts'

const plainly = (message: string): BdFailure => new BdFailure(message, { json: 'text' })

/** The description from any of bd's sources; undefined if there is none. */
export function descriptionOf(call: BdCall): string | undefined {
  const { flags } = call
  if (flags.on('stdin')) return fromOutside(call, '-', 'reading from stdin')
  const file = fileOf(call)
  const given = (['description', 'body', 'message'] as const)
    .filter((name) => flags.has(name))
    .map((name) => ({ name, text: flags.text(name) ?? '' }))
  if (file !== undefined) {
    if (given.length > 0) throw plainly('cannot specify both --body-file and --description/--body/--message')
    return fromOutside(call, file, 'reading body file')
  }
  const first = given.find(({ text }) => text !== '')
  const other = given.find(({ text }) => text !== '' && text !== first?.text)
  if (first !== undefined && other !== undefined) {
    const label = `--${other.name}:`.padEnd(15)
    throw plainly(
      `cannot specify both --${first.name} and --${other.name} with different values\n` +
        `  --${first.name}: ${JSON.stringify(first.text)}\n  ${label}${JSON.stringify(other.text)}`,
    )
  }
  if (first?.text === '-') return fromOutside(call, '-', 'reading from stdin')
  return given[0]?.text
}

export function designOf(call: BdCall): string | undefined {
  const path = call.flags.text('design-file')
  if (path === undefined) return call.flags.text('design')
  const read = readFileText(call, path)
  if (read.problem !== undefined) throw plainly(`reading from stdin: failed to open file: ${read.problem}`)
  return whole(read.text, 'design')
}

function fileOf({ flags }: BdCall): string | undefined {
  const body = flags.text('body-file')
  const description = flags.text('description-file')
  if (body !== undefined && description !== undefined && body !== description) {
    throw plainly('cannot specify both --body-file and --description-file with different values')
  }
  return body ?? description
}

/** An empty file or pipe is more often an accident than an intention. */
function fromOutside(call: BdCall, path: string, doing: string): string {
  const read = readFileText(call, path)
  if (read.problem !== undefined) throw plainly(`${doing}: failed to open file: ${read.problem}`)
  if (read.text === '' && !call.flags.on('allow-empty-description')) {
    throw plainly(
      'empty description from stdin/file requires --allow-empty-description (or use an explicit inline empty value like --description "")',
    )
  }
  return whole(read.text, 'description')
}

/** SQLite would end the text at a NUL. */
export function whole(text: string, what: string): string {
  const at = text.indexOf('\0')
  if (at === -1) return text
  throw new BdFailure(`the ${what} has a NUL character at position ${at}, which a task cannot hold`, {
    json: 'text',
    hint: 'is it a binary file? nothing was written',
  })
}

type Read = { readonly text: string; readonly problem?: undefined } | { readonly problem: string }

/** '-' is standard input. Errors use bd's wording. */
export function readFileText(call: Pick<BdCall, 'readInput'>, path: string): Read {
  try {
    return { text: call.readInput(path) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { problem: `open ${path}: ${PROBLEMS[code ?? ''] ?? message}` }
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
}
