import { type BdCall, BdFailure } from '../command.ts'
import { refuse } from './arguments.ts'

/** The text from the arguments, --stdin or --file, exactly one of them. `hint` lists the options. */
export function commentText(
  call: BdCall,
  words: readonly string[],
  { what = 'comment', hint }: { what?: 'comment' | 'note' | 'response'; hint: string },
): string {
  const { flags } = call
  const file = flags.text('file') ?? ''
  if (flags.on('stdin') && flags.has('file')) {
    throw refuse('if any flags in the group [stdin file] are set none of the others can be; [file stdin] were all set')
  }
  const typed = words.join(' ')
  const sources = [
    ...(typed.trim() === '' ? [] : [`positional text ${JSON.stringify(typed)}`]),
    ...(flags.on('stdin') ? ['--stdin'] : []),
    ...(file === '' ? [] : ['--file']),
  ]
  if (sources.length > 1) throw new BdFailure(`cannot combine ${sources.join(' with ')}`)
  const text = flags.on('stdin')
    ? call.readInput('-').replace(/[\r\n]+$/, '')
    : file === ''
      ? typed
      : fileText(call, file)
  if (text.trim() !== '') return whole(text, what)
  if (sources.length > 0 || words.length > 0) throw new BdFailure(`${what} text cannot be empty`)
  throw new BdFailure(`no ${what} text provided (${hint})`)
}

function fileText(call: BdCall, path: string): string {
  try {
    return call.readInput(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new BdFailure(`failed to open file: open ${path}: no such file or directory`)
    if (code === 'EISDIR') throw new BdFailure(`failed to read file: read ${path}: is a directory`)
    throw error
  }
}

/** A NUL would end the text early in most programs that read it later. */
function whole(text: string, what: string): string {
  if (text.includes('\0')) throw new BdFailure(`${what} text contains a NUL character`)
  return text
}
