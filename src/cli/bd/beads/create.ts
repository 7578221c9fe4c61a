import { recordOf } from '../../../domain/task/interchange.ts'
import { isObject, withSettings } from '../../../domain/task/settings.ts'
import type { Task } from '../../../domain/task/task.ts'
import { rfc3339 } from '../../../domain/task/time.ts'
import { plain } from '../../../domain/text/plain.ts'
import { absolutePath } from '../../../platform/files/paths.ts'
import { readInput } from '../../../platform/terminal/input.ts'
import { writeErr, writeOut } from '../../../platform/terminal/output.ts'
import { BdFailure } from '../command.ts'
import { createdLine } from '../commands/create.ts'
import { answerText } from '../json.ts'
import { SETTINGS_FLAGS } from '../parts/issue-flags.ts'
import { inText, metadataOf } from '../parts/issue-input.ts'
import { project, settingsIn, settingsOfNew } from '../parts/task-file.ts'
import type { Forwarding } from './forward.ts'
import { forward, forwardCaptured } from './real-bd.ts'
import { split } from './split.ts'
import { VALUE_FLAGS } from './value-flags.ts'

const OWN = [...SETTINGS_FLAGS.map(({ name }) => ({ name, value: true })), { name: 'metadata', value: true }]
const SAYS = [
  { name: 'json', value: false },
  { name: 'format', value: true },
  { name: 'silent', value: false },
  { name: 'quiet', short: 'q', value: false },
]
/** bd creates many tasks from one file, all without metadata. */
const MANY = [
  { name: 'file', short: 'f', value: true },
  { name: 'graph', value: true },
]

/**
 * bd creates the task with fleet's settings in its metadata in one write, so nothing can claim it without them.
 * Only the printed line is fleet's.
 */
export async function createInBeads(
  { argv, at }: { argv: readonly string[]; at: number },
  call: Forwarding,
): Promise<number> {
  const quick = argv[at] === 'q'
  const own = split([...argv.slice(0, at), ...argv.slice(at + 1)], OWN, VALUE_FLAGS)
  if (MANY.some(({ name }) => split(own.rest, MANY, VALUE_FLAGS).taken.has(name))) return await createMany(argv, call)
  const { home } = call.world
  const given = {
    flags: own.taken,
    home,
    cwd: call.cwd,
    readInput: (path: string) => readInput(path === '-' ? path : absolutePath(path, call.cwd)),
  }
  if (own.taken.text('cwd') === '') {
    throw new BdFailure('--cwd is empty', { json: 'text', hint: 'leave it out to use the directory you are in' })
  }
  const metadata = metadataOf(given, inText) ?? {}
  const settings = await settingsOfNew(given, settingsIn(metadata, inText))
  const told = `--metadata=${JSON.stringify(withSettings(metadata, settings))}`
  if (own.rest.some((word) => word === '--dry-run' || word === '--dry-run=true')) {
    return await forward(call.file, ['create', told, ...quickly(own.rest, quick)], { cwd: call.cwd, env: call.env })
  }
  const { taken: says, rest } = split(own.rest, SAYS, VALUE_FLAGS)
  // Goes first, because a `--` in the remaining arguments may end the flags.
  const ran = await forwardCaptured(call.file, ['create', told, '--json', ...quickly(rest, quick)], {
    cwd: call.cwd,
    env: { ...call.env, BD_JSON_ENVELOPE: '1' },
  })
  const { env } = call.world
  const json = says.on('json') || says.text('format')?.toLowerCase() === 'json' || env['BD_JSON'] === 'true'
  const issue = issueIn(ran.out)
  if (ran.code !== 0 || issue === undefined) return failed(ran, json && !quick)
  if (ran.err !== '') writeErr(ran.err)
  const task = taskOf(issue)
  if (task !== undefined) project({ home, warn: (line) => writeErr(`${plain(line)}\n`) }, task)
  if (quick || says.on('silent')) writeOut(`${plain(String(issue['id']))}\n`)
  else if (json) {
    const envelope = env['BD_JSON_ENVELOPE'] === '1'
    writeOut(answerText(envelope ? issue : { ...issue, data: issue }, { envelope }))
  } else if (!says.on('quiet') && task !== undefined) writeOut(`${plain(createdLine(task))}\n`)
  return 0
}

/** `bd q` takes no metadata, so its arguments become the title of an ordinary `create`. */
function quickly(argv: readonly string[], quick: boolean): readonly string[] {
  if (!quick) return argv
  const title: string[] = []
  const rest: string[] = []
  const words = [...argv]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') title.push(...words.splice(0))
    else if (!word.startsWith('-')) title.push(word)
    else rest.push(word, ...(VALUE_FLAGS.has(word) ? words.splice(0, 1) : []))
  }
  return [...rest, `--title=${title.join(' ')}`]
}

async function createMany(argv: readonly string[], call: Forwarding): Promise<number> {
  writeErr('fleet: tasks made from a file get no directory: fleet bd update <id> --cwd <dir> gives one\n')
  return await forward(call.file, argv, { cwd: call.cwd, env: call.env })
}

function issueIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { data } = JSON.parse(text)
    return isObject(data) && typeof data['id'] === 'string' ? data : undefined
  } catch {
    return undefined
  }
}

function taskOf(issue: Readonly<Record<string, unknown>>): Task | undefined {
  const read = recordOf(JSON.stringify(issue), rfc3339(Date.now()))
  return read.kind === 'record' ? read.record : undefined
}

/** bd's wording, as text or JSON. */
function failed(
  { code, out, err, killed }: { code: number; out: string; err: string; killed: boolean },
  json: boolean,
): number {
  if (out.trim() === '' && err.trim() === '') {
    if (!killed) writeErr(`Error: bd create failed and did not say why (exit ${code})\n`)
  } else if (json) {
    writeOut(out)
    writeErr(err)
  } else {
    const texts = [out, err].map((text) => (/^\s*\{/.test(text) ? (reasonIn(text) ?? text) : text.trim()))
    writeErr(`${plain(texts.filter((text) => text !== '').join('\n'))}\n`)
  }
  return code === 0 ? 1 : code
}

function reasonIn(text: string): string | undefined {
  try {
    const value = JSON.parse(text)
    const error = value.data?.error ?? value.error
    return typeof error === 'string' ? `Error: ${error}` : undefined
  } catch {
    return undefined
  }
}
