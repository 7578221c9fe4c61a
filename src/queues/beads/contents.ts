import type { Contents } from '../../domain/task/contents.ts'
import { lineOf, recordOf, type TaskRecord } from '../../domain/task/interchange.ts'
import { STATUSES } from '../../domain/task/task.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import { AppError } from '../../errors.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { contentsOf } from '../sqlite/contents.ts'
import { Bd, queueTrouble } from './bd.ts'
import { Link } from './link.ts'
import { asMirrored } from './mirror.ts'
import { handsOf } from './owed.ts'
import { makeTables, stateOf } from './tables.ts'

interface Where {
  readonly beads: string
  readonly env: NodeJS.ProcessEnv
}

/** bd may have tens of thousands of tasks to write, on a busy machine. */
const PATIENT = { readMs: 600_000, writeMs: 3_600_000, graceMs: 10_000 }

export interface BeadsContents {
  readonly contents: Contents
  /** The tasks in bd's own words. */
  readonly records: readonly TaskRecord[]
  /** What is no task, and stays where it is. */
  readonly memories: number
}

/** All that bd has, with what fleet keeps beside it; refused where the mirror is not the whole of it. */
export async function contentsOfBeads(db: Database, where: Where): Promise<BeadsContents> {
  makeTables(db)
  const bd = new Bd({ ...where, timeouts: PATIENT })
  const link = new Link(db, { bd, beads: where.beads })
  let text = await link.look()
  // What was only just told is seen by the next look.
  if (owed(db) > 0) text = await link.look()
  if (owed(db) > 0) throw queueTrouble(`bd does not show yet what it was told about ${owed(db)} tasks`)
  const { records, memories } = recordsIn(text)
  const claimers = new Set(stateOf(db, 'claimers').split('\n'))
  return {
    contents: together(
      records.map((record) => asMirrored(record, claimers)),
      contentsOf(db),
      rfc3339(Date.now()),
    ),
    records,
    memories,
  }
}

/** bd's word about the tasks, the mirror's about what bd has no place for. They must be about the same tasks. */
export function together(records: readonly TaskRecord[], mirror: Contents, now: string): Contents {
  const shown = new Map(records.map((record) => [record.id, record]))
  const tasks = mirror.tasks.map((kept) => {
    const record = shown.get(kept.record.id)
    shown.delete(kept.record.id)
    if (record === undefined || handsOf(awake(record, now)) !== handsOf(awake(kept.record, now)))
      throw unsteady(kept.record.id)
    return { ...kept, record }
  })
  for (const id of shown.keys()) throw unsteady(id)
  return { ...mirror, tasks }
}

/** The mirror opens what was deferred to a date that has come; bd goes on showing it as deferred. */
function awake(record: TaskRecord, now: string): TaskRecord {
  const due = record.status === 'deferred' && record.defer_until !== null && record.defer_until <= now
  return due ? { ...record, status: 'open' } : record
}

function unsteady(id: string): AppError {
  return new AppError('queue', `bd shows another ${id} now than a moment ago: somebody is writing to it`, {
    hint: 'nothing was changed; run it again when nobody else uses bd',
  })
}

function owed(db: Database): number {
  return db.once<{ n: number }>('select count(distinct task) as n from beads_owed').get()?.n ?? 0
}

interface Words {
  readonly records: readonly TaskRecord[]
  readonly memories: number
}

/** The tasks in bd's own words. */
export async function readBeads(where: Where): Promise<Words> {
  return recordsIn(await new Bd({ ...where, timeouts: PATIENT }).read(['export', '--all']))
}

/** A line that fleet cannot read would be lost on the way, so it is an error here. */
function recordsIn(text: string): Words {
  const records: TaskRecord[] = []
  let memories = 0
  for (const line of text.split('\n').filter((each) => each.startsWith('{'))) {
    const read = recordOf(line, rfc3339(0))
    if (read.kind === 'record') records.push(read.record)
    else if (read.kind === 'skipped') memories += read.what === 'memory' ? 1 : 0
    else
      throw new AppError('queue', `bd has a task that fleet cannot take: ${read.why}`, { hint: 'nothing was changed' })
  }
  return { records, memories }
}

/** A database with these contents at a place where there is none, and what bd then shows. */
export async function makeBeads(contents: Contents, where: Where & { by: string }): Promise<readonly TaskRecord[]> {
  const { initBeads } = await import('./init.ts')
  await initBeads({ ...where, prefix: contents.prefix })
  const bd = new Bd({ ...where, timeouts: PATIENT })
  const records = contents.tasks.map((task) => task.record)
  for (const [key, words] of Object.entries(ownWords(records))) {
    if (words.length > 0) await bd.write({ argv: ['config', 'set', key, words.join(',')], by: where.by })
  }
  const counts = { dependency_count: 0, dependent_count: 0, comment_count: 0 }
  const input = records.map((record) => `${JSON.stringify(lineOf(record, counts))}\n`).join('')
  if (input !== '') await bd.write({ argv: ['import', '-'], input, by: where.by })
  return (await readBeads(where)).records
}

const CORE_TYPES = new Set(['bug', 'feature', 'task', 'epic', 'chore', 'decision'])

/** bd takes a status or a type that it does not know only where its configuration names it. */
function ownWords(records: readonly TaskRecord[]): Readonly<Record<string, readonly string[]>> {
  const statuses = new Set<string>(records.map((record) => record.status))
  const types = new Set(records.map((record) => record.issue_type))
  return {
    'status.custom': [...statuses].filter((each) => !(STATUSES as readonly string[]).includes(each)),
    'types.custom': [...types].filter((each) => !CORE_TYPES.has(each)),
  }
}
