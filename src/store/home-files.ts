import { relative } from 'node:path'
import { coderFiles } from '../config/coder-files.ts'
import { CONFIG_FILE, type Looked, lookedAt, textOf } from '../config/in-force.ts'
import { type ChangedFile, madeWhileAgentsRan } from '../domain/fleet/home-file.ts'
import { fingerprint } from '../domain/text/fingerprint.ts'
import { fileStamp } from '../platform/files/files.ts'
import type { Home } from '../platform/files/home.ts'
import { NO_USER_CONFIG, type UserConfig } from '../platform/git/user-config.ts'
import type { HomeRecord } from '../platform/sqlite/home-record.ts'
import type { HomeFiles } from '../ports/home-files.ts'
import { UserGitFiles } from './user-git.ts'

export interface HomeFilesOptions {
  readonly record: HomeRecord
  /** The runs that are open now. */
  openRuns(): readonly string[]
  now(): number
  /** Called once for each change that waits for a person. */
  noticed?(change: ChangedFile): void
  /** Called for each file of fleet's own that it has put right. */
  mended?(change: ChangedFile): void
  /** Looks at files that fleet repairs by itself. */
  alsoLook?(): void
  /** The user's configuration of git is guarded, too. */
  readonly env?: NodeJS.ProcessEnv
}

/** The home's files as a supervisor, or a person's command, guards them. */
export class GuardedFiles implements HomeFiles {
  readonly #home: Home
  readonly #options: HomeFilesOptions
  /** Of files that were as accepted: with the same stamp they still are. */
  readonly #stamps = new Map<string, string>()
  readonly #userGit: UserGitFiles | undefined

  constructor(home: Home, options: HomeFilesOptions) {
    this.#home = home
    this.#options = options
    this.#userGit = options.env && new UserGitFiles(options.env, (path) => this.lookAt(path))
  }

  expose(): void {
    const { record, now } = this.#options
    if (record.isOpen()) return
    record.together(() => {
      this.#lookAtAll()
      record.expose(now())
    })
  }

  look(): void {
    try {
      this.#options.alsoLook?.()
    } catch {
      // The next start of an agent reports it. The end of a run must not wait for it.
    }
    this.#lookAtAll(this.#stamps)
  }

  endExposure(): boolean {
    const { record, now } = this.#options
    return record.together(() => {
      this.#lookAtAll()
      return record.endExposure(now())
    })
  }

  agentsRanAt(time: number): boolean {
    return madeWhileAgentsRan(time, this.#options.record.exposuresAt(time))
  }

  changesDuring(run: string): readonly ChangedFile[] {
    return this.#options.record.changesDuring(run)
  }

  /** The text of runtime.toml in force; undefined: there is none. */
  readonly config = (): string | undefined => textOf(this.#home.config, this.lookAt(CONFIG_FILE).inForce)

  /** The user's configuration of git in force. */
  readonly userGit = (): UserConfig => this.#userGit?.config() ?? NO_USER_CONFIG

  #lookAtAll(stamps?: ReadonlyMap<string, string>): void {
    this.#userGit?.look({ trusting: stamps !== undefined })
    // The configuration last: that it was accepted says that there was a look at all.
    for (const path of guardedPaths(this.#home, this.#options.record).toReversed()) {
      const stamp = stampOf(`${this.#home.path}/${path}`)
      if (stamp !== '' && stamps?.get(path) === stamp) continue
      const { standing } = this.lookAt(path)
      if (standing === 'same') this.#stamps.set(path, stamp)
      else this.#stamps.delete(path)
    }
  }

  /** Looks at one file and writes down what follows: an edit that is taken in, or a change that waits for a person. */
  lookAt(path: string): Looked {
    const { record } = this.#options
    const first = lookedAt(this.#home, path, record)
    if (first.standing === 'same' && !record.isPending(path)) return first
    // Again, with every other writer locked out: a person's command may be about to write both the file and the record.
    return record.together(() => {
      const looked = lookedAt(this.#home, path, record)
      if (looked.standing === 'same') record.decide(path, 'withdrawn')
      if (looked.standing === 'new' && 'text' in looked.found) record.accept(path, looked.found.text)
      if (looked.standing === 'held') this.#note(looked)
      return looked
    })
  }

  /** A file of fleet's own was changed, and is as it was again: nobody has to decide. */
  repaired(path: string): void {
    const { record, openRuns, now, mended } = this.#options
    const change = { path, noticedAt: now(), runs: openRuns() }
    record.together(() => {
      record.noteChange({ path, mark: '', at: change.noticedAt, runs: change.runs })
      record.decide(path, 'repaired')
    })
    mended?.(change)
  }

  #note({ path, found }: Looked): void {
    const { record, openRuns, now, noticed } = this.#options
    const mark = 'text' in found ? (found.text === null ? 'none' : fingerprint(found.text)) : found.problem
    const change = { path, noticedAt: now(), runs: openRuns() }
    if (record.noteChange({ path, mark, at: change.noticedAt, runs: change.runs })) noticed?.(change)
  }
}

/** Everything that fleet takes in: the configuration, and the coders that are there or were. */
export function guardedPaths(home: Home, record: HomeRecord): readonly string[] {
  const coders = [...coderFilesIn(home).values()].map((file) => relative(home.path, file))
  const known = record.acceptedPaths().filter((path) => path.startsWith('coders/'))
  return [CONFIG_FILE, ...[...new Set([...coders, ...known])].sort()]
}

/** An agent could make the folder unreadable; the files that were accepted are still looked at. */
function coderFilesIn(home: Home): ReadonlyMap<string, string> {
  try {
    return coderFiles(home.coders)
  } catch {
    return new Map()
  }
}

function stampOf(file: string): string {
  try {
    return fileStamp(file)
  } catch {
    // A file that cannot be looked at is looked at each time.
    return ''
  }
}
