import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, normalize } from 'node:path'
import { assertTaskId } from '../domain/id.ts'
import { AppError } from '../errors.ts'

/** Where everything of one person on one machine lives: `$FLEET_HOME`, by default `~/.fleet`. */
export class Home {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  get store(): string {
    return join(this.path, 'fleet.db')
  }
  get config(): string {
    return join(this.path, 'runtime.toml')
  }
  get wake(): string {
    return join(this.path, 'wake')
  }
  get backups(): string {
    return join(this.path, 'backups')
  }
  get tasks(): string {
    return join(this.path, 'tasks')
  }

  /** The id is checked here, because it becomes a folder name. */
  task(id: string): string {
    return join(this.tasks, assertTaskId(id))
  }

  /** The home as it must be before any command but `init` and `doctor` can work on it. */
  require(): this {
    if (!existsSync(this.path)) {
      throw new AppError('config', `no fleet home at ${this.path}`, {
        hint: 'run fleet init (or point FLEET_HOME at your home)',
      })
    }
    if (!statSync(this.path).isDirectory()) {
      throw new AppError('config', `${this.path} is not a directory`, {
        hint: 'move it away, or point FLEET_HOME elsewhere',
      })
    }
    const store = statSync(this.store, { throwIfNoEntry: false })
    if (store === undefined) throw new AppError('config', `${this.path} has no fleet.db`, { hint: 'run fleet init' })
    if (store.isDirectory()) {
      throw new AppError('queue', `${this.store} is a directory, not a store`, {
        hint: 'move it away, then run fleet init',
      })
    }
    return this
  }
}

export function homeFrom(env: NodeJS.ProcessEnv): Home {
  const given = env['FLEET_HOME'] ?? ''
  if (given === '') return new Home(join(homedir(), '.fleet'))
  if (given === '~' || given.startsWith('~/')) return new Home(join(homedir(), given.slice(1)))
  if (!isAbsolute(given)) {
    throw new AppError('config', `FLEET_HOME is relative: ${given}`, {
      hint: 'agents run in other directories, so it must be absolute, e.g. export FLEET_HOME="$PWD/.fleet"',
    })
  }
  return new Home(normalize(given))
}

/** Made for its owner alone, also where it existed with wider permissions. */
export function privateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700)
}
