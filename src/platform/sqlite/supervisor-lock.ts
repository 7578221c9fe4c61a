import { join } from 'node:path'
import type { HostState } from '../../domain/fleet/host.ts'
import { type RunFlags, recordedFlags } from '../../domain/fleet/run-flags.ts'
import type { Proc } from '../../domain/run/run.ts'
import { privateFile, readText, writeFileAtomic } from '../files/files.ts'
import { remove } from '../files/folder.ts'
import type { Home } from '../files/home.ts'
import { fileIdentity, holdOn } from '../process/open-files.ts'
import { ageMs, bootId, processEntry } from '../process/process-table.ts'
import { isSame } from '../process/run-group.ts'
import { Database } from './database.ts'
import { supervisorOf } from './recorded-supervisor.ts'
import { StoreError } from './store-error.ts'

/**
 * One supervisor per home: it holds an exclusive transaction open on `lock.db`, which the end of the process frees.
 * `supervisor.json` beside it is the holder's record for other processes; it does not decide who holds the lock. Open
 * `lock.db` only through SQLite: closing another file descriptor on it would drop the lock.
 */
export type Acquired =
  | { readonly kind: 'held'; readonly lock: Held }
  | { readonly kind: 'taken'; readonly holder: Holder }

export interface Held extends Disposable {
  /** Writes the holder's mode into its record. */
  tell(mode: HostState): void
  /** Writes into its record what this machine lacks, for people to see; undefined: nothing. */
  lacks(what: string | undefined): void
  /** Whether somebody removed or replaced the file of the lock: another supervisor may hold the new one. */
  isLost(): boolean
  release(): void
}

/** `proc` is null if the holder has not written its record yet, or lives in another pid namespace. */
export interface Holder {
  readonly proc: Proc | null
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null
  readonly version: string | null
  /** null: it has not started claiming yet, or is unknown. */
  readonly mode: HostState | null
  /** null: unknown, because an older fleet wrote the record, or there is none. */
  readonly flags: RunFlags | null
  /** Something that a run needs and this machine does not have, in one sentence; null: nothing. */
  readonly lacks: string | null
}

/** The holder's own part of its record. */
export interface Introduction {
  readonly version: string
  readonly now: number
  readonly flags?: RunFlags
}

/** Waits up to PATIENCE_MS for a holder that is just releasing the lock, and for readers. */
export function acquireSupervisorLock(home: Home, me: Introduction): Acquired {
  privateFile(home.supervisorLock)
  let database: Database | undefined
  try {
    database = new Database(home.supervisorLock, { busyTimeoutMs: PATIENCE_MS })
    database.exec('begin exclusive')
    const other = holderOfLostLock(home)
    if (other !== undefined) {
      database.exec('rollback')
      database[Symbol.dispose]()
      return { kind: 'taken', holder: other }
    }
    introduce(home, me, { mode: null, lacks: null })
  } catch (error) {
    database?.[Symbol.dispose]()
    if (isLocked(error)) return { kind: 'taken', holder: readHolder(home) }
    throw error
  }
  const held = database
  HELD.add(held)
  const identity = fileIdentity(home.supervisorLock)
  const release = (): void => {
    if (!HELD.delete(held)) return
    // Another supervisor may have the home meanwhile, if somebody replaced the lock or the home.
    if (recordedHolder(home)?.proc?.pid === process.pid) remove(holderFile(home))
    // Closing alone keeps the lock until the driver's statements are garbage-collected.
    held.exec('rollback')
    held[Symbol.dispose]()
  }
  let standing: Standing = { mode: null, lacks: null }
  const say = (news: Partial<Standing>): void => {
    standing = { ...standing, ...news }
    try {
      if (HELD.has(held)) introduce(home, me, standing)
    } catch {
      // A full disk must not stop the supervisor.
    }
  }
  const tell = (mode: HostState): void => say({ mode })
  const lacks = (what: string | undefined): void => say({ lacks: what ?? null })
  const isLost = (): boolean => fileIdentity(home.supervisorLock) !== identity
  return { kind: 'held', lock: { tell, lacks, isLost, release, [Symbol.dispose]: release } }
}

const PATIENCE_MS = 2000

/** Keeps the databases reachable: garbage collection would close them and free their locks. */
const HELD = new Set<Database>()

/** undefined: none is alive. The read lock is short; a supervisor that is just starting waits for it. */
export function supervisorAlive(home: Home): Holder | undefined {
  try {
    using _database = new Database(home.supervisorLock, { readOnly: true, busyTimeoutMs: 0 })
  } catch (error) {
    if (isLocked(error)) return readHolder(home)
    // It was never locked, or there is no home.
    if (!(error instanceof StoreError && error.trouble === 'cannot-open')) throw error
  }
  return recordedOther(home)
}

/** False also if another supervisor has taken the lock since. */
export function isStillAlive(home: Home, { proc }: Holder): boolean {
  return supervisorAlive(home) !== undefined && (proc === null || isSame(proc))
}

function isLocked(error: unknown): boolean {
  return error instanceof StoreError && error.trouble === 'locked'
}

function holderFile(home: Home): string {
  return join(home.path, 'supervisor.json')
}

type Standing = Pick<Holder, 'mode' | 'lacks'>

function introduce(home: Home, { version, now, flags = {} }: Introduction, standing: Standing): void {
  const startTime = processEntry(process.pid)?.startTime ?? ''
  const proc = { pid: process.pid, startTime, bootId: bootId() }
  const holder = { schema_version: 1, ...proc, startedAt: now, version, ...standing, flags }
  writeFileAtomic(holderFile(home), `${JSON.stringify(holder)}\n`)
}

/**
 * A supervisor whose lock.db somebody removed or replaced: the lock of the new file says nothing about it. It notices, and
 * ends within a second or so, unless it is stopped. The ledger has to know it: any agent can open a file of that name.
 */
function holderOfLostLock(home: Home): Holder | undefined {
  const recorded = recordedOther(home)
  if (recorded !== undefined) return recorded
  const known = holderOfLedger(home)
  return known?.proc?.pid === process.pid ? undefined : known
}

/** Without a record that names it. */
function holderOfLedger(home: Home): Holder | undefined {
  const proc = supervisorOf(home.store)?.proc
  if (proc === undefined || !isSame(proc)) return undefined
  const hold = holdOn(proc.pid, home.supervisorLock)
  return hold === 'locked' || hold === 'open' ? { ...UNKNOWN, proc } : undefined
}

/** The living process of the record, if it is not this one. A holder removes its record before it releases the lock. */
function recordedOther(home: Home): Holder | undefined {
  const holder = recordedHolder(home)
  return holder?.proc?.pid === process.pid ? undefined : holder
}

function readHolder(home: Home): Holder {
  // The lock itself says that it is held.
  return recordedHolder(home) ?? holderOfLedger(home) ?? UNKNOWN
}

const UNKNOWN: Holder = { proc: null, startedAt: null, version: null, mode: null, flags: null, lacks: null }

/** The record counts only if it names the holder: an agent can write the pid of any process there. */
function recordedHolder(home: Home): Holder | undefined {
  try {
    const record = JSON.parse(readText(holderFile(home), { limit: 65_536 }) ?? '')
    const { pid, startTime, bootId, startedAt, version, mode = null, lacks = null } = record
    const proc = { pid, startTime, bootId }
    if (isHolder(home, proc))
      return { proc, startedAt: startOf(proc, startedAt), version, mode, flags: recordedFlags(record.flags), lacks }
  } catch {
    // None, or not one of ours.
  }
  return undefined
}

/**
 * Whether that very process is alive, because a killed supervisor leaves its record behind, and has the lock. An agent can
 * have the file open as well, so only the kernel's word counts, or the ledger's: somebody may have replaced lock.db since,
 * and not every file system shows its locks.
 */
function isHolder(home: Home, proc: Proc): boolean {
  if (!isSame(proc)) return false
  const hold = holdOn(proc.pid, home.supervisorLock)
  if (hold !== 'open') return hold !== 'none'
  const known = supervisorOf(home.store)?.proc
  return known?.pid === proc.pid && known.startTime === proc.startTime
}

/** By the clock of now: it may have been set since, and a supervisor must not seem to have run for a year. */
function startOf({ startTime }: Proc, recorded: number): number {
  const began = Date.now() - ageMs(startTime)
  return Math.abs(began - recorded) < CLOCK_SET_MS ? recorded : Math.round(began)
}

const CLOCK_SET_MS = 60_000
