import { isDeepStrictEqual } from 'node:util'
import { openHomeDatabase, refuseHalfTakenOver } from '../app.ts'
import { editConfig } from '../config/edit.ts'
import { loadConfig } from '../config/load.ts'
import { sharedQueueOf } from '../config/queue-of.ts'
import { claimerOf, sameHome } from '../domain/fleet/claimer.ts'
import { isOnline } from '../domain/fleet/host.ts'
import { type Contents, type Tally, tallyOf } from '../domain/task/contents.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { hostName } from '../platform/runtime/machine.ts'
import type { Database } from '../platform/sqlite/database.ts'
import { lockForMigration } from '../platform/sqlite/queue-lock.ts'
import { acquireSupervisorLock } from '../platform/sqlite/supervisor-lock.ts'
import { homeKindIn } from '../queues/registry.ts'
import { homeId } from '../store/home-id.ts'
import { SqliteLedger } from '../store/ledger/ledger.ts'
import { clearPendingMigration, markPendingMigration } from '../store/pending-migration.ts'
import { changedMeanwhile, isSameTasks, recordsOf } from './compare.ts'
import type { QueueKind, Source, Target } from './ends.ts'
import {
  beadsSource,
  beadsTarget,
  type HomeStore,
  isBeadsMissing,
  localSource,
  localTarget,
  rememberLeftBehind,
} from './home-store.ts'
import { type LedgerScope, learnRecords, recordsToCarry } from './ledger-records.ts'

export interface MigrationRequest {
  /** `local`, `beads` or a postgres:// URL. */
  readonly to: string
  readonly dryRun: boolean
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly now: number
  /** Called before a step that may take a while. */
  step(what: string, tasks: number): void
}

export interface MigrationResult {
  /** `already`: the home already uses the target. */
  readonly kind: 'moved' | 'would-move' | 'already'
  readonly from: { readonly kind: QueueKind; readonly location: string }
  readonly to: { readonly kind: QueueKind; readonly location: string }
  readonly tally: Tally
  /** The parts that exist only in the old queue. */
  readonly left: readonly string[]
  /** Paths of copies and databases that were set aside. */
  readonly aside: readonly string[]
}

/**
 * Migrates the tasks of a home to another queue. Only reads the old queue. Writes everything, reads it back and compares it
 * before the home switches to the new queue; any failure before that leaves the home on the old one.
 */
export async function migrate(home: Home, wish: MigrationRequest): Promise<MigrationResult> {
  home.requireWritable().require()
  refuseHalfTakenOver(home)
  // The last step edits the configuration, so fail now if it cannot be read.
  await loadConfig(home.config)
  using _supervisorLock = excludeSupervisors(home, wish)
  using db = openHomeDatabase(home, {})
  refuseOpenRuns(db)
  const url = await sharedQueueOf(home.config)
  const store: HomeStore = {
    home,
    db,
    env: wish.env,
    holds: homeKindIn(db).name,
    isSource: url === undefined,
    now: wish.now,
  }
  await using source = await sourceOf(store, url)
  await using target = await targetOf(store, wish.to)
  const ends = { from: endOf(source), to: endOf(target) }
  if (isSamePlace(source, target) && !(target.kind === 'beads' && isBeadsMissing(home))) {
    if (!wish.dryRun) {
      await switchTo(home, wish.to, store.holds)
      clearPendingMigration(db)
    }
    const { contents } = await source.read()
    return { kind: 'already', ...ends, tally: tallyOf(contents), left: [], aside: [] }
  }
  wish.step(`reading the tasks in ${source.location}`, 0)
  const { contents, native, leftBehind } = await source.read()
  const claimer = claimerOf(homeId(db), hostName())
  refuseClaimed(contents, source, { claimer, now: wish.now })
  await refuseOtherMachines(source, claimer)
  await target.check(contents)
  const { omitted } = target.fit(contents)
  const found = { ...ends, tally: tallyOf(contents), left: [...omitted, ...leftBehind] }
  if (wish.dryRun) return { kind: 'would-move', ...found, aside: [] }
  wish.step(`writing to ${target.location}, reading back and comparing`, contents.tasks.length)
  const scope: LedgerScope = {
    tasks: recordsOf(contents).map((record) => record.id),
    ledger: new SqliteLedger(db),
    claimer,
  }
  const learnt = source.records === undefined ? [] : await learnRecords(scope, source.records)
  const records = recordsToCarry(scope, learnt)
  using queueLock = new LateLock()
  let marked = false
  const confirmUnchanged = async (): Promise<void> => {
    queueLock.held = lockForMigration(home)
    await requireUnchanged(source, contents)
    if (!isDeepStrictEqual(recordsToCarry(scope, learnt), records)) throw changedMeanwhile(source)
    if (target.kind !== 'postgres' || source.kind === 'postgres') return
    rememberLeftBehind(store, native)
    markPendingMigration(db, target.location)
    marked = true
  }
  const aside = await target.fill(contents, { records, confirmUnchanged }).catch((error: unknown) => {
    // An unreachable server may have committed; a server that refuses has not.
    if (marked && !(error instanceof AppError && error.code === 'queue')) clearPendingMigration(db)
    throw error
  })
  // Switch at once: until this is written the home could start tasks that other machines have started on the new queue.
  await switchTo(home, wish.to, target.kind === 'postgres' ? store.holds : target.kind)
  clearPendingMigration(db)
  return { kind: 'moved', ...found, aside }
}

/** A lock that is taken during the migration and held to its end. */
class LateLock implements Disposable {
  held: Disposable | undefined;

  [Symbol.dispose](): void {
    this.held?.[Symbol.dispose]()
  }
}

/** From here on every command uses this queue. */
async function switchTo(home: Home, queue: string, own: 'local' | 'beads'): Promise<void> {
  await editConfig(home, [`queue=${queue}`], { own })
}

async function sourceOf(store: HomeStore, url: string | undefined): Promise<Source> {
  if (url !== undefined) return await (await import('./server.ts')).serverSource(url)
  return store.holds === 'beads' ? beadsSource(store) : localSource(store)
}

async function targetOf(store: HomeStore, to: string): Promise<Target> {
  if (to === 'local') return localTarget(store)
  return to === 'beads' ? beadsTarget(store) : await (await import('./server.ts')).serverTarget(to, homeId(store.db))
}

const endOf = ({ kind, location }: Source | Target): MigrationResult['from'] => ({ kind, location })

function isSamePlace(source: Source, target: Target): boolean {
  return source.kind === target.kind && source.location === target.location
}

/** Holds the supervisor lock to the end, so that no supervisor can start meanwhile. */
function excludeSupervisors(home: Home, { version, now }: MigrationRequest): Disposable {
  const acquired = acquireSupervisorLock(home, { version, now })
  if (acquired.kind === 'held') return acquired.lock
  const { proc } = acquired.holder
  throw new AppError(
    'conflict',
    `a supervisor is running on ${home.path}${proc === null ? '' : ` (pid ${proc.pid})`}`,
    {
      hint: 'nothing was changed; stop it with fleet run stop, then migrate',
    },
  )
}

function refuseOpenRuns(db: Database): void {
  const [run, ...more] = new SqliteLedger(db).openRuns()
  if (run === undefined) return
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  throw new AppError('conflict', `${run.task}${others} has a run that has not ended`, {
    hint: 'nothing was changed; let it finish with fleet run --once, or stop it with fleet kill --all',
  })
}

/** Other machines may be running tasks of a server's queue. */
function refuseClaimed(contents: Contents, source: Source, { claimer, now }: { claimer: string; now: number }): void {
  if (source.kind !== 'postgres') return
  const held = contents.tasks.find(
    ({ record, leaseUntil }) => leaseUntil !== null && leaseUntil > now && !sameHome(record.assignee, claimer),
  )
  if (held === undefined) return
  throw new AppError('conflict', `${held.record.id} is being worked on by ${held.record.assignee}`, {
    hint: 'nothing was changed; stop the supervisors of the other machines first (fleet run stop)',
  })
}

/** Even an idle supervisor could start one of the tasks that stay on the server. */
async function refuseOtherMachines(source: Source, claimer: string): Promise<void> {
  const hosts = (await source.hosts?.()) ?? []
  const other = hosts.find((host) => isOnline(host, Date.now()) && !sameHome(host.id, claimer))
  if (other === undefined) return
  throw new AppError('conflict', `the supervisor of ${other.name} works on the tasks in ${source.location}`, {
    hint: 'nothing was changed; stop it with fleet run stop on that machine, then migrate',
  })
}

async function requireUnchanged(source: Source, contents: Contents): Promise<void> {
  const now = (await source.read()).contents
  const same = isSameTasks(recordsOf(now), recordsOf(contents)) && isDeepStrictEqual(now.values, contents.values)
  if (!same) throw changedMeanwhile(source)
}
