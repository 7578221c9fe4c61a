import type { Contents } from '../../domain/task/contents.ts'
import { lineOf, recordOf, type TaskRecord } from '../../domain/task/interchange.ts'
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
  /** bd's memories are not tasks and are not migrated. */
  readonly memories: number
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
  const { records, memories } = recordsIn(text)
  const claimers = new Set(stateOf(db, 'claimers').split('\n'))
  return {
    contents: merge(
      records.map((record) => asMirrored(record, claimers)),
      contentsOf(db),
      rfc3339(Date.now()),
    ),
    records,
    memories,
  }
}

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

interface Exported {
  readonly records: readonly TaskRecord[]
  readonly memories: number
}

/** The tasks as bd exports them. */
export async function readBeads(where: Where): Promise<Exported> {
  return recordsIn(await new Bd({ ...where, timeouts: MIGRATION_TIMEOUTS }).read(['export', '--all']))
}

/** Throws for a line that fleet cannot read: a migration would lose it. */
function recordsIn(text: string): Exported {
  const records: TaskRecord[] = []
  let memories = 0
  for (const line of text.split('\n').filter((each) => each.startsWith('{'))) {
    const read = recordOf(line, rfc3339(0))
    if (read.kind === 'record') records.push(read.record)
    else if (read.kind === 'skipped') memories += read.what === 'memory' ? 1 : 0
    else
      throw new AppError('queue', `bd has a task that fleet cannot read: ${read.why}`, { hint: 'nothing was changed' })
  }
  return { records, memories }
}

/** Creates a database with these contents; there must be none yet. Returns what bd then exports. */
export async function makeBeads(contents: Contents, where: Where & { by: string }): Promise<readonly TaskRecord[]> {
  const { initBeads } = await import('./init.ts')
  await initBeads({ ...where, prefix: contents.prefix })
  const bd = new Bd({ ...where, timeouts: MIGRATION_TIMEOUTS })
  const records = contents.tasks.map((task) => task.record)
  for (const [key, values] of Object.entries(customValues(records))) {
    if (values.length > 0) await bd.write({ argv: ['config', 'set', key, values.join(',')], by: where.by })
  }
  const counts = { dependency_count: 0, dependent_count: 0, comment_count: 0 }
  const input = records.map((record) => `${JSON.stringify(lineOf(record, counts))}\n`).join('')
  if (input !== '') await bd.write({ argv: ['import', '-'], input, by: where.by })
  return (await readBeads(where)).records
}

const CORE_TYPES = new Set(['bug', 'feature', 'task', 'epic', 'chore', 'decision'])

/** bd accepts an unknown status or type only if its configuration lists it. */
function customValues(records: readonly TaskRecord[]): Readonly<Record<string, readonly string[]>> {
  const statuses = new Set<string>(records.map((record) => record.status))
  const types = new Set(records.map((record) => record.issue_type))
  return {
    'status.custom': [...statuses].filter((each) => !(STATUSES as readonly string[]).includes(each)),
    'types.custom': [...types].filter((each) => !CORE_TYPES.has(each)),
  }
}
