import { accessSync, chmodSync, constants, lstatSync, mkdirSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { type Damage, type Entry, type Harm, harmOf, isAgentsDoing, type Part } from '../../domain/run/damage.ts'
import { putOutOfTheWay } from './out-of-the-way.ts'

export interface Mending {
  /** The folder of all tasks. If it is itself in trouble, that is not the doing of one task's agent. */
  readonly tasks: string
  /** The folder of the task. */
  readonly folder: string
  readonly parts: readonly Part[]
}

/**
 * Finds what an agent did to the folder of its task, and undoes it: unlocks what is locked, puts aside what does not belong
 * there, and makes missing folders again. The contents of a lost file stay lost. Call it only while no process of the task
 * is left. Throws the machine's own errors, such as too many open files.
 */
export function mend({ tasks, folder, parts }: Mending): readonly Damage[] {
  const damage: Damage[] = []
  const absent: Part[] = []
  for (const part of parts) {
    // With its folder a part is lost as well, and says nothing more.
    if (damage.some((each) => isBelow(part, each) && !keepsContents(each))) {
      if (part.needed && part.kind === 'folder') succeeds(() => mkdirSync(pathOf(folder, part), { mode: 0o700 }))
      continue
    }
    // Before its first attempt a task has no folder at all.
    if (!part.needed && absent.some((each) => isBelow(part, each))) continue
    const path = pathOf(folder, part)
    const expected = { kind: part.kind, tasks }
    const look = (): Harm | undefined => harmOf(part, entryAt(path, expected))
    const entry = entryAt(path, expected)
    if (entry.is === 'nothing' && part.kind === 'folder') absent.push(part)
    let harm = harmOf(part, entry)
    if (harm === undefined) continue
    if (!isUsable(tasks)) return []
    // The folder of all tasks may have been locked, and is not any more.
    harm = look()
    if (harm === undefined) continue
    damage.push({ path: part.path, harm, isRepaired: repaired(path, part, harm) && isSound(look) })
  }
  return damage
}

function pathOf(folder: string, { path }: Part): string {
  return path === '' ? folder : `${folder}/${path}`
}

function isBelow({ path }: Part, above: Pick<Part, 'path'>): boolean {
  return above.path === '' ? path !== '' : path.startsWith(`${above.path}/`)
}

function keepsContents({ harm, isRepaired }: Damage): boolean {
  return isRepaired && (harm === 'locked' || harm === 'immutable')
}

function ownerOf(path: string): number | undefined {
  try {
    return lstatSync(path).uid
  } catch {
    return undefined
  }
}

interface Expected {
  readonly kind: Part['kind']
  /** Its owner may own the files, too. */
  readonly tasks: string
}

/** It does not change, and a look asks for it many times. */
const USER = process.geteuid?.()

function entryAt(path: string, { kind, tasks }: Expected): Entry {
  let found: Stats | undefined
  try {
    found = lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return { is: 'unseen', code: agentsCode(error) }
  }
  if (found === undefined) return { is: 'nothing' }
  const is = kindOf(found)
  return {
    is,
    mode: found.mode & 0o777,
    links: found.nlink,
    isForeign: found.uid !== USER && found.uid !== ownerOf(tasks),
    // Only root can make a file immutable. Of anybody else's files only the folders have to be writable.
    refuses: is === kind && (is === 'folder' || USER === 0) ? refusalAt(path, kind) : undefined,
  }
}

function kindOf(found: Stats): Exclude<Entry['is'], 'nothing' | 'unseen'> {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  if (found.isSymbolicLink()) return 'link'
  if (found.isFIFO()) return 'pipe'
  return found.isSocket() ? 'socket' : 'device'
}

/** Shows what the permission bits do not: an immutable file, a read-only mount. */
function refusalAt(path: string, kind: Part['kind']): string | undefined {
  const { R_OK, W_OK, X_OK } = constants
  try {
    accessSync(path, R_OK | W_OK | (kind === 'folder' ? X_OK : 0))
    return undefined
  } catch (error) {
    return agentsCode(error)
  }
}

/** Throws an error that is the machine's. */
function agentsCode(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined || !isAgentsDoing(code)) throw error
  return code
}

/** Unlocks the folder of all tasks if an agent locked it. false: no task can be used, so no task is to blame. */
function isUsable(tasks: string): boolean {
  if (refusalAt(tasks, 'folder') === undefined) return true
  return succeeds(() => {
    if (lstatSync(tasks).isDirectory()) chmodSync(tasks, 0o700)
    accessSync(tasks, constants.R_OK | constants.W_OK | constants.X_OK)
  })
}

function repaired(path: string, part: Part, harm: Harm): boolean {
  const repair = (): void => {
    if (harm === 'locked') chmodSync(path, part.kind === 'folder' ? 0o700 : 0o600)
    else if (harm !== 'removed' && harm !== 'immutable') putOutOfTheWay(path)
    if (part.kind === 'folder') mkdirSync(path, { recursive: true, mode: 0o700 })
  }
  if (harm === 'immutable') return madeMutable(path)
  return succeeds(repair) || (madeMutable(dirname(path), path) && succeeds(repair))
}

/** A part that is gone is sound: the next attempt makes it again. */
function isSound(look: () => Harm | undefined): boolean {
  const harm = look()
  return harm === undefined || harm === 'removed'
}

/** Only root can make a file immutable, and undo it. */
function madeMutable(...paths: readonly string[]): boolean {
  if (process.platform !== 'linux' || USER !== 0) return false
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { status } = spawnSync('chattr', ['-f', '-i', '-a', '--', ...paths], { stdio: 'ignore', timeout: 5000 })
  return status === 0
}

function succeeds(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    agentsCode(error)
    return false
  }
}
