import { CUSTOM_STATUSES, CUSTOM_TYPES } from '../../domain/queue/bd-configuration.ts'
import { KV_PREFIX, MEMORY_PREFIX } from '../../domain/queue/value-keys.ts'
import type { Contents } from '../../domain/task/contents.ts'
import { lineOf, memoryLine, recordOf, type TaskRecord } from '../../domain/task/interchange.ts'
import { STATUSES } from '../../domain/task/task.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { contentsOf } from '../sqlite/contents.ts'
import { Bd, queueError } from './bd.ts'
import { Link } from './link.ts'
import { asMirrored } from './mirror.ts'
import { ownershipOf } from './outbox.ts'
import { makeTables, stateOf } from './tables.ts'
import { BeadsValues, setCommand } from './values.ts'
import { valuesToMove } from './values-to-move.ts'

interface Where {
  readonly beads: string
  readonly env: NodeJS.ProcessEnv
}

/** Long enough for bd to write tens of thousands of tasks on a busy machine. */
const MIGRATION_TIMEOUTS = { readMs: 600_000, writeMs: 3_600_000, graceMs: 10_000 }

export interface BeadsContents {
  readonly contents: Contents
  /** The tasks as bd exports them. */
  readonly records: readonly TaskRecord[]
  /** The parts that another queue cannot hold, for people to read. */
  readonly leftBehind: readonly string[]
}

/** All tasks in bd, with what fleet keeps beside them. Throws while the mirror and bd differ. */
export async function contentsOfBeads(db: Database, where: Where): Promise<BeadsContents> {
  makeTables(db)
  const bd = new Bd({ ...where, timeouts: MIGRATION_TIMEOUTS })
  const link = new Link(db, { bd, beads: where.beads })
  let text = await link.sync()
  // The second sync confirms what the first one sent.
  if (waiting(db) > 0) text = await link.sync()
  if (waiting(db) > 0) throw queueError(`bd does not show fleet's latest changes to ${waiting(db)} tasks yet`)
  const records = recordsIn(text)
  const claimers = new Set(stateOf(db, 'claimers').split('\n'))
  const contents = merge(
    records.map((record) => asMirrored(record, claimers)),
    contentsOf(db),
    rfc3339(Date.now()),
  )
  const { values, leftBehind } = await valuesToMove(new BeadsValues(bd), where.beads)
  return { contents: { ...contents, values }, records, leftBehind }
}

/** A task may have a status or a type that is named there. */
const WITH_TASKS: ReadonlySet<string> = new Set([CUSTOM_STATUSES, CUSTOM_TYPES])

/** Tasks from bd; tokens, leases, waits and history from the mirror. Throws if the two do not hold the same tasks. */
export function merge(records: readonly TaskRecord[], mirror: Contents, now: string): Contents {
  const shown = new Map(records.map((record) => [record.id, record]))
  const tasks = mirror.tasks.map((kept) => {
    const record = shown.get(kept.record.id)
    shown.delete(kept.record.id)
    if (
      record === undefined ||
      ownershipOf(withDueDeferralOpen(record, now)) !== ownershipOf(withDueDeferralOpen(kept.record, now))
    )
      throw changedMeanwhile(kept.record.id)
    return { ...kept, record }
  })
  for (const id of shown.keys()) throw changedMeanwhile(id)
  return { ...mirror, tasks }
}

/** The mirror opens a task whose deferral is due; bd keeps showing it as deferred. */
function withDueDeferralOpen(record: TaskRecord, now: string): TaskRecord {
  const due = record.status === 'deferred' && record.defer_until !== null && record.defer_until <= now
  return due ? { ...record, status: 'open' } : record
}

function changedMeanwhile(id: string): AppError {
  return new AppError('queue', `${id} changed in bd a moment ago: somebody is writing to it`, {
    hint: 'nothing was changed; run it again when nobody else uses bd',
  })
}

/** Tasks with unconfirmed writes. */
function waiting(db: Database): number {
  return db.once<{ n: number }>('select count(distinct task) as n from beads_owed').get()?.n ?? 0
}

/** The tasks as bd exports them. */
export async function readBeads(where: Where): Promise<readonly TaskRecord[]> {
  return recordsIn(await new Bd({ ...where, timeouts: MIGRATION_TIMEOUTS }).read(['export', '--all']))
}

/** Throws for a line that fleet cannot read: a migration would lose it. */
function recordsIn(text: string): readonly TaskRecord[] {
  const records: TaskRecord[] = []
  for (const line of text.split('\n').filter((each) => each.startsWith('{'))) {
    const read = recordOf(line, rfc3339(0))
    if (read.kind === 'record') records.push(read.record)
    else if (read.kind === 'wrong')
      throw new AppError('queue', `bd has a task that fleet cannot read: ${read.why}`, { hint: 'nothing was changed' })
  }
  return records
}

/** Creates a database with these contents; there must be none yet. Returns what bd then exports. */
export async function makeBeads(contents: Contents, where: Where & { by: string }): Promise<readonly TaskRecord[]> {
  const { initBeads } = await import('./init.ts')
  await initBeads({ ...where, prefix: contents.prefix })
  const bd = new Bd({ ...where, timeouts: MIGRATION_TIMEOUTS })
  const records = contents.tasks.map((task) => task.record)
  const values = contents.values ?? {}
  for (const [key, used] of Object.entries(customValues(records))) {
    const all = withUsed(values[key] ?? '', used)
    if (all !== '') await bd.write({ argv: ['config', 'set', key, all], by: where.by })
  }
  for (const [key, value] of Object.entries(values)) {
    if (!key.startsWith(MEMORY_PREFIX) && !WITH_TASKS.has(key)) await bd.write(setCommand(key, value))
  }
  const counts = { dependency_count: 0, dependent_count: 0, comment_count: 0 }
  const lines = [
    ...records.map((record) => lineOf(record, counts)),
    ...Object.entries(values).flatMap(([key, value]) =>
      key.startsWith(MEMORY_PREFIX) ? [memoryLine(key.slice(MEMORY_PREFIX.length), value)] : [],
    ),
  ]
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  if (input !== '') await bd.write({ argv: ['import', '-'], input, by: where.by })
  await requireValues(bd, values)
  return await readBeads(where)
}

/** `a:active,b` with the statuses that tasks have and the configuration does not name. */
function withUsed(configured: string, used: readonly string[]): string {
  const named = configured.split(',').filter((each) => each.trim() !== '')
  const names = new Set(named.map((each) => each.trim().split(':')[0]))
  return [...named, ...used.filter((each) => !names.has(each))].join(',')
}

async function requireValues(bd: Bd, wanted: Readonly<Record<string, string>>): Promise<void> {
  const pairs = Object.entries(wanted).filter(([key]) => key.startsWith(KV_PREFIX))
  if (pairs.length === 0) return
  const there = await new BeadsValues(bd).list(KV_PREFIX)
  const wrong = pairs.find(([key, value]) => there.get(key) !== value)
  if (wrong !== undefined) throw queueError(`bd does not hold the value of ${wrong[0]} that was written to it`)
}

const CORE_TYPES = new Set(['bug', 'feature', 'task', 'epic', 'chore', 'decision'])

/** bd accepts an unknown status or type only if its configuration lists it. */
function customValues(records: readonly TaskRecord[]): Readonly<Record<string, readonly string[]>> {
  const statuses = new Set<string>(records.map((record) => record.status))
  const types = new Set(records.map((record) => record.issue_type))
  return {
    [CUSTOM_STATUSES]: [...statuses].filter((each) => !(STATUSES as readonly string[]).includes(each)),
    [CUSTOM_TYPES]: [...types].filter((each) => !CORE_TYPES.has(each)),
  }
}
