import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { assertTaskId } from '../../domain/task/id.ts'
import { AppError } from '../../errors.ts'
import { explainFile, linkTarget } from './files.ts'
import { entryAt, namesIn } from './folder.ts'
import { foreignHint, ownerOf, ownerOfNew, ownUid, userNamed } from './owner.ts'
import { canWrite } from './permissions.ts'

/** The folder for everything of one person on one machine: `$FLEET_HOME`, by default `~/.fleet`. */
export class Home {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  get store(): string {
    return `${this.path}/fleet.db`
  }
  get config(): string {
    return `${this.path}/runtime.toml`
  }
  /** Held by the supervisor as long as it lives. */
  get supervisorLock(): string {
    return `${this.path}/lock.db`
  }
  get queueLock(): string {
    return `${this.path}/queue-lock.db`
  }
  get wake(): string {
    return `${this.path}/wake`
  }
  get backups(): string {
    return `${this.path}/backups`
  }
  /** The user's coders, one file each. */
  get coders(): string {
    return `${this.path}/coders`
  }
  /** bd's database, if the home keeps its tasks in bd. */
  get beads(): string {
    return `${this.path}/.beads`
  }
  /** Present while a take-over is under way: after a kill the next `fleet init` continues it. */
  get takingOver(): string {
    return `${this.path}/taking-over`
  }
  get tasks(): string {
    return `${this.path}/tasks`
  }

  /** The id is checked here, because it becomes a folder name. */
  task(id: string): string {
    return `${this.path}/tasks/${assertTaskId(id)}`
  }

  get landings(): string {
    return `${this.path}/landing`
  }

  /** For the throw-away work tree in which the work of a task lands. */
  landing(id: string): string {
    return `${this.landings}/${assertTaskId(id)}`
  }

  /** Whether the path is the folder of that task, also through links. */
  isTaskFolder(id: string, path: string): boolean {
    const own = this.task(id)
    return path === own || linkTarget(path) === linkTarget(own)
  }

  /** Describes what of this home a file written to that path would destroy; undefined: nothing. */
  ownFileAt(path: string): string | undefined {
    const target = realPath(linkTarget(path))
    const store = realPath(linkTarget(this.store))
    if (STORE_FILES.some((ending) => target === `${store}${ending}`)) return 'the store of this home'
    if (target === realPath(linkTarget(this.config))) return 'the configuration of this home'
    return target.startsWith(`${linkTarget(this.backups)}/`) ? 'in the backups of this home' : undefined
  }

  /** Held while the configuration is edited or the store is restored. */
  get lock(): string {
    return `${this.path}/.lock`
  }
  get logging(): string {
    return `${this.path}/logging`
  }

  /** Advice for a missing or empty store in a home that had tasks; undefined: there is no trace of tasks. */
  lostStore(): string | undefined {
    const hasBackup = namesIn(this.backups).some((name) => /^fleet-.*\.db$/.test(name))
    if (entryAt(`${this.beads}/metadata.json`) !== undefined) {
      return hasBackup
        ? `fleet doctor --restore puts back the newest good backup, and the tasks are read from ${this.beads} again; fleet init --force does without the backup`
        : `its tasks are in ${this.beads}: fleet init takes them over`
    }
    if (hasBackup) {
      return `fleet doctor --restore puts back the newest good backup; to start empty instead, move ${this.backups} and ${this.tasks} away, then run fleet init`
    }
    if (namesIn(this.tasks).length === 0) return undefined
    return `there is no backup, but ${this.tasks} has folders of tasks: put fleet.db back; to start empty instead, move that folder away, then run fleet init`
  }

  /** For commands that need no store. */
  requireFolder(): this {
    const home = entryAt(this.path)
    if (home === undefined) {
      throw new AppError('config', `no fleet home at ${this.path}`, {
        hint: 'run fleet init (or point FLEET_HOME at your home)',
      })
    }
    if (home.kind !== 'folder') {
      throw new AppError('config', `${this.path} is not a directory`, {
        hint: 'move it away, or point FLEET_HOME elsewhere',
      })
    }
    return this
  }

  /** For a supervisor that is about to make folders below it: a home that was deleted or moved is not made again. */
  requireThere(): void {
    if (entryAt(this.path) === undefined) throw new AppError('queue', `the home ${this.path} is no longer there`)
  }

  /**
   * Refuses root in the home of somebody else, as `sudo fleet` would be: the files that it makes, those of an open store
   * among them, would be root's, and their owner's own fleet could not use them any more. The store tells whose home it is:
   * a folder that a container mounts may belong to anybody.
   */
  refuseForeignRoot(env: NodeJS.ProcessEnv): void {
    if (ownUid() !== 0) return
    const uid = ownerOf(this.store) ?? this.#sudoer(env)
    if (uid === undefined || uid === 0 || ownerOfNew(this.path) === uid) return
    const owner = userNamed(uid)
    throw new AppError('config', `${this.path} belongs to ${owner}, and you are root`, {
      hint: `nothing was changed; run it as ${owner}, or give the home to root: chown -R root ${this.path}`,
    })
  }

  /** The user who called sudo, if the home without a store, or the folder that it would be made in, is theirs. */
  #sudoer(env: NodeJS.ProcessEnv): number | undefined {
    const owner = ownerOf(this.path) ?? ownerOf(dirname(this.path))
    return env['SUDO_UID'] === String(owner) ? owner : undefined
  }

  /** For commands that change files in the folder. */
  requireWritable(): this {
    this.requireFolder()
    if (canWrite(this.path)) return this
    throw new AppError('failed', `${this.path} cannot be written`, {
      hint: `nothing was changed; ${foreignHint(this.path) ?? 'check its owner and permissions, and whether its disk is read-only'}`,
    })
  }

  /** The state that every command but `init` and `doctor` needs. */
  require(): this {
    this.requireFolder()
    const store = entryAt(this.store)
    if (store === undefined) {
      throw new AppError('config', `${this.path} has no fleet.db`, { hint: this.lostStore() ?? 'run fleet init' })
    }
    if (store.kind === 'folder') {
      throw new AppError('queue', `${this.store} is a directory, not a store`, {
        hint: 'move it away, then run fleet init',
      })
    }
    return this
  }
}

/** The home of a path that is `<home>/tasks/<id>`. */
export function homeOfTaskFolder(path: string): string {
  return dirname(dirname(path))
}

/**
 * Whether two paths are one home, however they are spelled: through links or mounts, or because a folder has the store or
 * bd's database of the other.
 */
export function isSameHome(a: string, b: string): boolean {
  if (normalize(a) === normalize(b)) return true
  return ['', 'fleet.db', '.beads'].some((name) => {
    const [one, other] = [a, b].map((path) => identityOf(join(path, name)))
    return one !== undefined && one === other
  })
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** SQLite's own files beside the store. */
const STORE_FILES = ['', '-wal', '-shm', '-journal']

/** Also for a file that does not exist yet. */
function realPath(path: string): string {
  return join(linkTarget(dirname(path)), basename(path))
}

export function homeFrom(env: NodeJS.ProcessEnv): Home {
  const given = env['FLEET_HOME'] ?? ''
  if (given === '') return new Home(join(userHome(), '.fleet'))
  if (given === '~' || given.startsWith('~/')) return new Home(join(userHome(), given.slice(1)))
  if (!isAbsolute(given)) {
    throw new AppError('config', `FLEET_HOME is relative: ${given}`, {
      hint: 'agents run in other directories, so it must be absolute, e.g. export FLEET_HOME="$PWD/.fleet"',
    })
  }
  return new Home(normalize(given))
}

/** A service or a container may not set HOME. */
export function userHome(): string {
  let path = ''
  try {
    path = homedir()
  } catch {
    // No HOME and no entry in the user database.
  }
  if (isAbsolute(path)) return path
  throw new AppError('config', 'neither FLEET_HOME nor HOME names a directory', {
    hint: 'export FLEET_HOME=/path/to/your/home',
  })
}

/**
 * Creates the folder with mode 0700, or restricts an existing one to that. `below`: this folder must be there already, and
 * is never made again, as a home must not be that somebody has deleted or moved.
 */
export function privateDirectory(path: string, { below }: { below?: string } = {}): void {
  try {
    const made = below === undefined ? mkdirSync(path, { recursive: true, mode: 0o700 }) : makeBelow(below, path)
    // The umask may have removed bits as well.
    if (made !== undefined || (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700)
  } catch (error) {
    throw explainFile(error, path)
  }
}

/** The path if it was made; undefined: it was there. */
function makeBelow(root: string, path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700 })
    return path
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return undefined
    const parent = dirname(path)
    if (code !== 'ENOENT' || !parent.startsWith(`${root}/`)) throw error
    makeBelow(root, parent)
    mkdirSync(path, { mode: 0o700 })
    return path
  }
}
