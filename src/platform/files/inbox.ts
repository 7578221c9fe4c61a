import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { type ForgedLetter, LETTER_LIMIT, letterOf, type NamedLetter } from '../../domain/agent/inbox.ts'
import { isSigned } from '../../domain/agent/letter-proof.ts'
import { makeFolder } from './attempt-folder.ts'

/** `tasks/<id>/inbox`: the agent's commands write letters here (post.ts), but the agent can do anything to the folder. */

const LETTERS_LIMIT = 200
/** Names read at most, so that a flooded folder costs bounded time. */
const NAMES_LIMIT = 5000
const LETTER_NAME = /^\d{13,16}-[0-9a-f]{8}\.json$/
/** The most characters of a run's name in a refusal: its author may have made it up. */
const LONGEST_RUN = 128
/** A letter that is still being written, or whose writer was killed. */
const UNFINISHED = /\.tmp$/

/** Gives the folder an impossible mtime, so that a stat shows whether anything was ever written to it. */
export function makeInbox(taskDir: string): void {
  const inbox = `${taskDir}/inbox`
  if (makeFolder(inbox)) utimesSync(inbox, UNTOUCHED, UNTOUCHED)
}

/** In seconds since 1970. */
const UNTOUCHED = 1

/** Nothing was ever written to the inbox. An agent that forges this only loses its own letters. */
export function isUntouched(taskDir: string): boolean {
  return statSync(`${taskDir}/inbox`, { throwIfNoEntry: false })?.mtimeMs === UNTOUCHED * 1000
}

export interface Collected {
  /** In the order they were written. */
  readonly letters: readonly NamedLetter[]
  readonly refused: readonly Refused[]
  /** All names examined, accepted or refused. */
  readonly names: readonly string[]
}

interface Refused {
  readonly name: string
  readonly why: string
  /** It is a letter, but not this run's: somebody tried to speak for the run. */
  readonly forged?: ForgedLetter
}

/**
 * The letters of this run, signed with its key (`check`) if it has one. Refuses and reports everything else; never follows links. Moves nothing. If there are too many
 * letters, reads the newest, because the last one counts.
 */
export function collect(taskDir: string, run: string, { check }: { check?: string | undefined } = {}): Collected {
  const inbox = `${taskDir}/inbox`
  const kind = lstatSync(inbox, { throwIfNoEntry: false })
  if (kind === undefined) return { letters: [], refused: [], names: [] }
  if (!kind.isDirectory()) return { letters: [], refused: [{ name: 'inbox', why: 'is not a folder' }], names: [] }
  const letters: NamedLetter[] = []
  const refused: Refused[] = []
  const names = namesOf(inbox)
  const first = names.filter((name) => LETTER_NAME.test(name)).at(-LETTERS_LIMIT) ?? ''
  for (const name of names) {
    const unread = LETTER_NAME.test(name) && name < first
    const found = unread ? { why: `is followed by ${LETTERS_LIMIT} others` } : read(join(inbox, name), { run, check })
    if ('why' in found) refused.push({ name, ...found })
    else letters.push(found)
  }
  return { letters, refused, names }
}

/** Moves collected letters to the attempt's evidence, so that they are not collected again. */
export function archive(taskDir: string, attempt: number, { names }: Collected): void {
  if (names.length === 0) return
  const evidence = join(taskDir, 'attempts', String(Math.trunc(attempt)), 'inbox')
  makeFolder(evidence)
  for (const name of names) {
    try {
      renameSync(join(taskDir, 'inbox', name), join(evidence, name))
    } catch {
      // Deleted meanwhile, or the name is taken by a folder; it is refused again next time.
    }
  }
}

function namesOf(inbox: string): string[] {
  const names: string[] = []
  const folder = opendirSync(inbox)
  try {
    let read = 0
    for (let entry = folder.readSync(); entry !== null && read < NAMES_LIMIT; entry = folder.readSync()) {
      read++
      if (!UNFINISHED.test(entry.name)) names.push(entry.name)
    }
  } finally {
    folder.closeSync()
  }
  return names.sort()
}

function read(
  path: string,
  { run, check }: { run: string; check: string | undefined },
): NamedLetter | Omit<Refused, 'name'> {
  const name = basename(path)
  if (!LETTER_NAME.test(name)) return { why: 'is not named like a letter' }
  const text = contentOf(path)
  if (typeof text !== 'string') return { why: text.problem }
  const letter = letterOf(text)
  if ('problem' in letter) return { why: letter.problem }
  const forged = { from: letter.run.slice(0, LONGEST_RUN), kind: letter.item.kind }
  if (letter.run !== run) return { why: 'is of another run', forged }
  if (check !== undefined && !isSigned(text, check)) return { why: 'is not signed by this run', forged }
  return { ...letter, name, text }
}

function contentOf(path: string): string | { readonly problem: string } {
  let fd: number
  try {
    // A pipe without a writer would block; a link may point anywhere; opening a device may do anything.
    const found = lstatSync(path)
    if (!found.isFile()) return { problem: found.isSymbolicLink() ? 'is a link' : 'is not a file' }
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: code === 'ELOOP' ? 'is a link' : `cannot be read (${code})` }
  }
  try {
    if (!fstatSync(fd).isFile()) return { problem: 'is not a file' }
    const bytes = Buffer.alloc(LETTER_LIMIT + 1)
    const length = readSync(fd, bytes, 0, bytes.length, 0)
    if (length > LETTER_LIMIT) return { problem: `is longer than ${LETTER_LIMIT} bytes` }
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(fd)
  }
}
