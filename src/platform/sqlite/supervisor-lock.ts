import { join } from 'node:path'
import type { HostState } from '../../domain/fleet/host.ts'
import type { Proc } from '../../domain/run/run.ts'
import { privateFile, readText, writeFileAtomic } from '../files/files.ts'
import { remove } from '../files/folder.ts'
import type { Home } from '../files/home.ts'
import { bootId, processEntry } from '../process/process-table.ts'
import { isSame } from '../process/run-group.ts'
import { Database } from './database.ts'
import { StoreError } from './store-error.ts'

/**
 * One supervisor per home: an exclusive transaction held open on `lock.db`, which whatever ends the process frees.
 * `supervisor.json` beside it is for messages and decides nothing. Nobody may open `lock.db` but through SQLite: closing
 * a file of one's own on it would drop the lock.
 */
export type Acquired =
  | { readonly kind: 'held'; readonly lock: Held }
  | { readonly kind: 'taken'; readonly holder: Holder }

export interface Held extends Disposable {
  /** What the holder does now, for others to read. */
  tell(mode: HostState): void
  release(): void
}

/** `proc` is null where the holder has not introduced itself yet, or lives in another pid namespace. */
export interface Holder {
  readonly proc: Proc | null
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null
  readonly version: string | null
  /** null: it has not begun yet, or cannot be asked. */
  readonly mode: HostState | null
}

/** Waits a little for one that is just leaving, and for those who only ask. */
export function acquireSupervisorLock(home: Home, me: { version: string; now: number }): Acquired {
  privateFile(lockFile(home))
  let database: Database | undefined
  try {
    database = new Database(lockFile(home), { busyTimeoutMs: PATIENCE_MS })
    database.exec('begin exclusive')
    introduce(home, me, null)
  } catch (error) {
    database?.[Symbol.dispose]()
    if (isLocked(error)) return { kind: 'taken', holder: readHolder(home) }
    throw error
  }
  const held = database
  HELD.add(held)
  const release = (): void => {
    if (!HELD.delete(held)) return
    remove(holderFile(home))
    // Closing alone leaves the lock until the driver's statements are collected.
    held.exec('rollback')
    held[Symbol.dispose]()
  }
  const tell = (mode: HostState): void => {
    try {
      if (HELD.has(held)) introduce(home, me, mode)
    } catch {
      // A full disk: what is only said must not end what is done.
    }
  }
  return { kind: 'held', lock: { tell, release, [Symbol.dispose]: release } }
}

const PATIENCE_MS = 2000

/** A database that nobody refers to is collected, and its lock with it. */
const HELD = new Set<Database>()

/** For everybody else; a plain read, which a supervisor that is just starting waits out. undefined: none is alive. */
export function supervisorAlive(home: Home): Holder | undefined {
  try {
    using _database = new Database(lockFile(home), { readOnly: true, busyTimeoutMs: 0 })
    return undefined
  } catch (error) {
    if (isLocked(error)) return readHolder(home)
    // Never locked, or no home at all.
    if (error instanceof StoreError && error.trouble === 'cannot-open') return undefined
    throw error
  }
}

/** Whether it is still that one: another may have begun in the moment that it ended. */
export function isStillAlive(home: Home, { proc }: Holder): boolean {
  return supervisorAlive(home) !== undefined && (proc === null || isSame(proc))
}

function isLocked(error: unknown): boolean {
  return error instanceof StoreError && error.trouble === 'locked'
}

function lockFile(home: Home): string {
  return join(home.path, 'lock.db')
}

function holderFile(home: Home): string {
  return join(home.path, 'supervisor.json')
}

function introduce(home: Home, { version, now }: { version: string; now: number }, mode: HostState | null): void {
  const startTime = processEntry(process.pid)?.startTime ?? ''
  const holder = { schema_version: 1, pid: process.pid, startTime, bootId: bootId(), startedAt: now, version, mode }
  writeFileAtomic(holderFile(home), `${JSON.stringify(holder)}\n`)
}

/** What the file says is believed only where that very process lives: it may be left from one that was killed. */
function readHolder(home: Home): Holder {
  try {
    const { pid, startTime, bootId, startedAt, version, mode = null } = JSON.parse(readText(holderFile(home)) ?? '')
    const proc = { pid, startTime, bootId }
    if (isSame(proc)) return { proc, startedAt, version, mode }
  } catch {
    // Nobody's words are needed to know that the lock is held.
  }
  return { proc: null, startedAt: null, version: null, mode: null }
}
