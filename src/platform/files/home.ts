import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { assertTaskId } from '../../domain/task/id.ts'
import { AppError } from '../../errors.ts'
import { explainFile, linkTarget } from './files.ts'
import { entryAt, namesIn } from './folder.ts'
import { canWrite } from './permissions.ts'

/** Where everything of one person on one machine lives: `$FLEET_HOME`, by default `~/.fleet`. */
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
  get queueLock(): string {
    return `${this.path}/queue-lock.db`
  }
  get wake(): string {
    return `${this.path}/wake`
  }
  get backups(): string {
    return `${this.path}/backups`
  }
  /** The user's own coders, one file each. */
  get coders(): string {
    return `${this.path}/coders`
  }
  /** The database of bd, where the tasks are kept in it. */
  get beads(): string {
    return `${this.path}/.beads`
  }
  get tasks(): string {
    return `${this.path}/tasks`
  }

  /** The id is checked here, because it becomes a folder name. */
  task(id: string): string {
    return `${this.path}/tasks/${assertTaskId(id)}`
  }

  /** Whether this is the folder of that task, by whatever name or link somebody calls it. */
  isTaskFolder(id: string, path: string): boolean {
    const own = this.task(id)
    return path === own || linkTarget(path) === linkTarget(own)
  }

  /** What in this home a file at that path would destroy, in words; undefined: nothing. */
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

  /** What to do about a store that is missing or empty where there were tasks; undefined: there is no trace of any. */
  lostStore(): string | undefined {
    if (namesIn(this.backups).some((name) => /^fleet-.*\.db$/.test(name))) {
      return `fleet doctor --restore puts back the newest good backup; to start empty instead, move ${this.backups} and ${this.tasks} away, then run fleet init`
    }
    if (namesIn(this.tasks).length === 0) return undefined
    return `there is no backup, but ${this.tasks} has folders of tasks: put fleet.db back; to start empty instead, move that folder away, then run fleet init`
  }

  /** The folder alone, for commands that need no store. */
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

  /** The folder, for commands that change what is in it. */
  requireWritable(): this {
    this.requireFolder()
    if (canWrite(this.path)) return this
    throw new AppError('failed', `${this.path} cannot be written`, {
      hint: 'nothing was changed; check its owner and permissions, and whether its disk is read-only',
    })
  }

  /** The home as it must be before any command but `init` and `doctor` can work on it. */
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

/** SQLite's own files beside the store. */
const STORE_FILES = ['', '-wal', '-shm', '-journal']

/** Also of a file that is not there yet. */
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

/** HOME, which a service or a container may have left out. */
function userHome(): string {
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

/** Made for its owner alone, also where it existed with wider permissions. */
export function privateDirectory(path: string): void {
  try {
    const made = mkdirSync(path, { recursive: true, mode: 0o700 })
    // The umask may have taken bits away, too.
    if (made !== undefined || (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700)
  } catch (error) {
    throw explainFile(error, path)
  }
}
