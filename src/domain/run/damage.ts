/**
 * Damage that an agent does to the files that fleet keeps in the folder of its task. An agent runs as the user, so it can
 * lock, remove or replace all of them. Everything here is pure: platform/files/mend.ts looks and repairs.
 */

/** A file or folder of a task that fleet relies on. */
export interface Part {
  /** Relative to the folder of the task; '' is that folder itself. */
  readonly path: string
  readonly kind: 'folder' | 'file'
  /** Present from the start of the agent on, so its absence is damage. */
  readonly needed: boolean
}

/** In the order in which they have to be repaired. */
const FOLDERS: readonly Part[] = [
  { path: '', kind: 'folder', needed: false },
  { path: 'attempts', kind: 'folder', needed: false },
  { path: 'inbox', kind: 'folder', needed: false },
  { path: 'artifacts', kind: 'folder', needed: false },
  { path: 'work', kind: 'folder', needed: false },
]

/** Written from time to time, for people to read. */
const JOURNALS: readonly Part[] = ['events.jsonl', 'log.jsonl', '.failures'].map((path) => {
  return { path, kind: 'file', needed: false }
})

/** The parts that a new attempt finds. Damage that is left there would be taken for its own. */
export const TASK_PARTS: readonly Part[] = [...FOLDERS, ...JOURNALS]

/** The attempt whose files count. `hasBegun`: its agent was started, so the files of a start must be there. */
export interface DamagedAttempt {
  readonly attempt: number
  readonly hasBegun: boolean
}

/**
 * The parts of a task whose agent has gone. A script may remove itself (prompt.md), every agent may remove its artifacts,
 * and a run that was killed has no exit.json: the absence of these is no damage.
 */
export function partsOfRun({ attempt, hasBegun }: DamagedAttempt): readonly Part[] {
  const folder = `attempts/${attempt}`
  const needed = new Set(['', 'attempts', 'inbox'])
  const file = (name: string, isMade = false): Part => {
    return { path: `${folder}/${name}`, kind: 'file', needed: hasBegun && isMade }
  }
  return [
    ...FOLDERS.map((part) => ({ ...part, needed: hasBegun && needed.has(part.path) })),
    ...JOURNALS,
    { path: folder, kind: 'folder', needed: hasBegun },
    { path: `${folder}/inbox`, kind: 'folder', needed: false },
    file('launch.json', true),
    file('stdout.jsonl', true),
    file('stderr.log', true),
    file('prompt.md'),
    file('stdin'),
    file('exit.json.pid'),
    file('exit.json'),
    file('receipt.json'),
  ]
}

/** An entry of a folder, as a look at it shows it. */
export type Entry =
  | { readonly is: 'nothing' }
  /** The look itself failed. */
  | { readonly is: 'unseen'; readonly code: string }
  | {
      readonly is: 'file' | 'folder' | 'link' | 'pipe' | 'socket' | 'device'
      /** Permission bits. */
      readonly mode: number
      /** Number of names that it has. */
      readonly links: number
      /** It belongs to a user who is neither this one nor the owner of the home. */
      readonly isForeign: boolean
      /** The error of an attempt to use it: reading and writing, and for a folder entering. undefined: none. */
      readonly refuses: string | undefined
    }

/** The damage to a part. `code`: it cannot be used, and this error is all that shows. */
export type Harm =
  | 'removed'
  | 'locked'
  | 'immutable'
  | 'linked'
  | 'given-away'
  | 'a link'
  | 'a pipe'
  | 'a socket'
  | 'a device'
  | 'a folder'
  | 'a file'
  | { readonly code: string }

export interface Damage {
  readonly path: string
  readonly harm: Harm
  /** false: fleet could not undo it, and no agent can be started in the folder. */
  readonly isRepaired: boolean
}

/** undefined: the part is as fleet left it, as far as one look can tell. */
export function harmOf(part: Part, entry: Entry): Harm | undefined {
  if (entry.is === 'nothing') return part.needed ? 'removed' : undefined
  if (entry.is === 'unseen') return { code: entry.code }
  if (entry.is !== part.kind) return `a ${entry.is}`
  // A second name of a file may be the first name of one that is precious to the user.
  if (entry.is === 'file' && entry.links > 1) return 'linked'
  if (entry.isForeign) return 'given-away'
  const own = part.kind === 'folder' ? 0o700 : 0o600
  if ((entry.mode & own) !== own) return 'locked'
  if (entry.refuses === undefined) return undefined
  return entry.refuses === 'EPERM' ? 'immutable' : { code: entry.refuses }
}

/**
 * Whether an error with this code, met in the folder of a task, is the doing of an agent. Every other code, such as a full
 * disk, a broken disk or too many open files, is trouble of the machine: a retry may succeed.
 */
export function isAgentsDoing(code: string | undefined): boolean {
  return code !== undefined && BY_AGENTS.has(code)
}

const BY_AGENTS: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENOTEMPTY',
  'ELOOP',
  'ENAMETOOLONG',
  'ENXIO',
  'ENODEV',
  'EBUSY',
  'ETXTBSY',
  'EXDEV',
  // A file system of the agent's own that ended with it.
  'ENOTCONN',
  'ESTALE',
])

/** An error of a file, with the path that it names. `path` is undefined for an error of anything else. */
export interface FileFault {
  readonly code: string | undefined
  readonly path: string | undefined
}

/** The damage behind an error in the folder of a task; undefined: the error is not the agent's doing. */
export function damageBehind({ code, path }: FileFault, taskFolder: string): Damage | undefined {
  if (code === undefined || !isAgentsDoing(code) || path === undefined) return undefined
  if (path !== taskFolder && !path.startsWith(`${taskFolder}/`)) return undefined
  return { path: path.slice(taskFolder.length + 1), harm: { code }, isRepaired: false }
}

const HARMS: Readonly<Record<Extract<Harm, string>, string>> = {
  removed: 'was removed',
  locked: 'was made unreadable',
  immutable: 'was made immutable',
  linked: 'was given a second name (a hard link)',
  'given-away': 'was given to another user',
  'a link': 'was replaced by a link',
  'a pipe': 'was replaced by a pipe',
  'a socket': 'was replaced by a socket',
  'a device': 'was replaced by a device',
  'a folder': 'was replaced by a folder',
  'a file': 'was replaced by a file',
}

/** "attempts/1/launch.json was replaced by a pipe". */
export function damageText({ path, harm }: Pick<Damage, 'path' | 'harm'>): string {
  const what = path === '' ? 'the folder of its task' : path
  return `${what} ${typeof harm === 'string' ? HARMS[harm] : `was made unusable (${harm.code})`}`
}

/** The most that are named; the rest is counted. */
const NAMED = 3

/** One sentence for people and for the next attempt. */
export function destroyedText(damage: readonly Damage[]): string {
  const named = damage.slice(0, NAMED).map(damageText)
  const more = damage.length > NAMED ? [`${damage.length - NAMED} more`] : []
  return `evidence of its run was destroyed: ${[...named, ...more].join(', ')}`
}

/** Why no agent can be started for a task, with the next step. */
export function unusableText(damage: readonly Damage[], { folder, task }: { folder: string; task: string }): string {
  const [first] = damage.filter(({ isRepaired }) => !isRepaired)
  if (first === undefined) return ''
  const path = first.path === '' ? folder : `${folder}/${first.path}`
  return `its folder cannot be used, because ${damageText(first)}: move ${path} away, then run fleet retry ${task}`
}

/** Adds damage, each part once: the first look at it tells most. */
export function withDamage(known: readonly Damage[], found: readonly Damage[]): readonly Damage[] {
  const paths = new Set(known.map(({ path }) => path))
  return [...known, ...found.filter(({ path }) => !paths.has(path))]
}
