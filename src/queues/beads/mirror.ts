import { hash } from 'node:crypto'
import type { Dependency } from '../../domain/task/dependency.ts'
import { recordOf, type TaskRecord } from '../../domain/task/interchange.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { FIELDS, stored } from '../row.ts'
import { insertEdge } from '../sqlite/dependencies.ts'
import { insertRow } from '../sqlite/insert.ts'
import { affectedBy, recomputeReadiness } from '../sqlite/readiness.ts'
import { ACCEPT_NEXT, clearOutbox, isOverdue, type OutboxEntry, outboxOf, ownershipOf } from './outbox.ts'
import { placeholderOf } from './placeholder.ts'
import { stateOf } from './tables.ts'

export interface BdExport {
  /** bd's export: one line per task. */
  readonly lines: readonly string[]
  /** When the export began: anything fleet wrote since then is newer than the export. */
  readonly since: number
  /** Default time for a line without one. */
  readonly now: string
}

export interface Applied {
  /** Writes that bd received and does not show: to be resent. */
  readonly lost: readonly OutboxEntry[]
  /** Why fleet cannot read a line; reported once per change of the line. */
  readonly unread: readonly string[]
}

/**
 * Brings the mirror up to date with bd's export, in one transaction.
 *
 * Ownership (status and assignee) is a three-way comparison: bd now, bd at the last sync, and the mirror.
 * - bd equals its last sync: nothing happened, or the mirror is ahead of bd.
 * - bd equals the mirror: fleet's own write is confirmed.
 * - bd equals neither: somebody else changed the task in bd, and the holder's fencing token becomes stale. One exception:
 *   a running task that bd shows as closed keeps running, and its verdict decides.
 */
export function applyExport(db: Database, { lines, since, now }: BdExport): Applied {
  return db.write(() => {
    const lost: OutboxEntry[] = []
    const unread: string[] = []
    const touched = new Set<string>()
    const claimers = new Set(stateOf(db, 'claimers').split('\n'))
    const { present, news } = changedLines(db, lines)
    for (const { line, record: shown, why } of oldestFirst(news, now)) {
      if (why !== undefined) unread.push(why)
      const record = withoutFormerHolder(shown, claimers)
      present.add(record.id)
      const seen = db.sql<Seen>('select * from beads_seen where task = ?').get(record.id)
      if (seen !== undefined && seen.touched > since) continue
      const digest = hash('sha256', line)
      if (seen?.line === digest) {
        lost.push(...unconfirmed(db, record, since))
        continue
      }
      take(db, record, { seen, since, lost, claimers })
      db.sql(
        `insert into beads_seen (task, line, status, assignee) values (?1, ?2, ?3, ?4)
         on conflict (task) do update set line = ?2, status = ?3, assignee = ?4`,
      ).run(record.id, digest, record.status, record.assignee)
      touched.add(record.id)
    }
    for (const id of removeMissing(db, present, since)) touched.add(id)
    recomputeReadiness(db, touched)
    for (const id of touched) recomputeReadiness(db, affectedBy(db, id))
    return { lost, unread }
  })
}

/**
 * Parsing a line costs far more than hashing it, and most lines have not changed. `present`: the tasks of unchanged lines,
 * which are not parsed. Tasks with outbox entries are always parsed.
 */
function changedLines(db: Database, lines: readonly string[]): { present: Set<string>; news: readonly string[] } {
  const seen = db.sql<{ task: string; line: string }>('select task, line from beads_seen').all()
  const known = new Map(seen.map(({ task, line }) => [task, line]))
  for (const { task } of db.sql<{ task: string }>('select task from beads_owed').all()) known.delete(task)
  const present = new Set<string>()
  const news = lines.filter((line) => {
    const [, id = ''] = ID.exec(line) ?? []
    if (known.get(id) !== hash('sha256', line)) return true
    present.add(id)
    return false
  })
  return { present, news }
}

/** bd writes the id near the start of a line. A wrong match only means that the line is parsed. */
const ID = /"id":\s*"([^"]+)"/

interface ChangedTask {
  readonly line: string
  readonly record: TaskRecord
  /** Set if the record is only a placeholder: why fleet cannot read the line. */
  readonly why?: string
}

/** Inserts new tasks in the order of their creation, whatever the order of the export. */
function oldestFirst(lines: readonly string[], now: string): readonly ChangedTask[] {
  return lines
    .flatMap((line): readonly ChangedTask[] => {
      const read = recordOf(line, now)
      if (read.kind === 'record') return [{ line, record: read.record }]
      if (read.kind === 'skipped' || read.kind === 'memory') return []
      const record = placeholderOf(line, now)
      return record === undefined ? [] : [{ line, record, why: read.why }]
    })
    .sort((a, b) =>
      a.record.created_at < b.record.created_at ? -1 : Number(a.record.created_at > b.record.created_at),
    )
}

interface Seen {
  readonly line: string
  readonly status: string
  readonly assignee: string
  readonly touched: number
}

/** bd keeps a supervisor's name on a task that it closed or released, and that name would keep every other claimer away. */
function withoutFormerHolder(record: TaskRecord, claimers: ReadonlySet<string>): TaskRecord {
  if (record.status === 'in_progress' || !claimers.has(record.assignee)) return record
  return { ...record, assignee: '' }
}

interface Ownership {
  status: string
  assignee: string
}

/** Writes sent before the sync that bd still does not show. */
function unconfirmed(db: Database, record: TaskRecord, since: number): readonly OutboxEntry[] {
  const owed = outboxOf(db, record.id)
  if (owed.length === 0) return []
  const mirror = mirroredOwnership(db, record.id)
  if (mirror !== undefined && ownershipOf(mirror) === ownershipOf(record)) {
    // bd agrees with the mirror: it has the write, or the write does not change ownership.
    clearOutbox(db, record.id)
    return []
  }
  return owed.filter((each) => isOverdue(each, since))
}

function mirroredOwnership(db: Database, id: string): Ownership | undefined {
  return db.sql<Ownership>('select status, assignee from task where id = ?').get(id)
}

const OWNERSHIP = new Set(['status', 'assignee', 'started_at', 'closed_at', 'close_reason', 'closed_by_session'])
const COLUMNS = FIELDS.filter((field) => field !== 'id' && field !== 'created_at')
const CONTENT = COLUMNS.filter((field) => !OWNERSHIP.has(field))
const update = (fields: readonly string[], more = '') =>
  `update task set ${fields.map((field) => `${field} = ?`).join(', ')}${more} where id = ?`
const REPLACE_CONTENT = update(CONTENT)
const REPLACE_ALL = update(COLUMNS, ', claim_token = claim_token + 1, lease_until = null, not_before = null')

function take(
  db: Database,
  record: TaskRecord,
  {
    seen,
    since,
    lost,
    claimers,
  }: { seen: Seen | undefined; since: number; lost: OutboxEntry[]; claimers: ReadonlySet<string> },
): void {
  const task = normalized(record)
  const mirror = mirroredOwnership(db, task.id)
  const held = task.status === 'in_progress' && claimers.has(task.assignee)
  if (mirror === undefined) {
    insertRow(db, task)
    if (held) db.sql(`${EXPIRE_LEASE} and id = ?`).run(task.id)
  } else {
    const shown = ownershipOf(task)
    const owed = outboxOf(db, task.id)
    if (shown === ownershipOf(mirror)) {
      clearOutbox(db, task.id)
      replaceContent(db, task)
    } else if (
      seen !== undefined &&
      (shown === ownershipOf(seen) || owed.some((each) => each.expected.includes(shown)))
    ) {
      lost.push(...owed.filter((each) => isOverdue(each, since)))
      replaceContent(db, task)
    } else if (seen?.status !== ACCEPT_NEXT && SETTLED.has(task.status) && isAtWork(db, task.id)) {
      clearOutbox(db, task.id)
      replaceContent(db, task)
    } else {
      clearOutbox(db, task.id)
      db.sql(REPLACE_ALL).run(...COLUMNS.map((field) => stored(task[field])), task.id)
      if (held) db.sql(`${EXPIRE_LEASE} and id = ?`).run(task.id)
    }
    replaceLabels(db, task)
  }
  replaceEdges(db, task)
  replaceComments(db, task)
}

/**
 * A settled task blocks nobody. While a task is running, only its verdict may settle it: agents can write to bd's
 * database, and nothing in bd tells an agent's write from a person's. People close running tasks through fleet (`asPerson`).
 */
const SETTLED = new Set(['closed', 'pinned'])

function isAtWork(db: Database, id: string): boolean {
  const leased = `select 1 from task where id = ? and status = 'in_progress' and lease_until is not null`
  return db.sql(leased).get(id) !== undefined
}

/** bd's record in the form the mirror stores. */
export function asMirrored(record: TaskRecord, claimers: ReadonlySet<string>): TaskRecord {
  return normalized(withoutFormerHolder(record, claimers))
}

/** The store requires `closed_at` exactly for closed tasks; bd does not. */
function normalized(task: TaskRecord): TaskRecord {
  if (task.status === 'closed') return task.closed_at === null ? { ...task, closed_at: task.updated_at } : task
  return task.closed_at === null ? task : { ...task, closed_at: null }
}

function replaceContent(db: Database, task: TaskRecord): void {
  db.sql(REPLACE_CONTENT).run(...CONTENT.map((field) => stored(task[field])), task.id)
}

function replaceLabels(db: Database, { id, labels }: TaskRecord): void {
  db.sql('delete from label where task = ?').run(id)
  for (const label of labels) db.sql('insert or ignore into label (task, label) values (?, ?)').run(id, label)
}

/** Copies bd's edges, including those fleet would refuse: bd owns the graph. */
function replaceEdges(db: Database, { id, dependencies }: TaskRecord): void {
  const before = db.sql<Dependency>('select * from dependency where issue_id = ?').all(id)
  if (JSON.stringify(before.map(edgeKey).sort()) === JSON.stringify(dependencies.map(edgeKey).sort())) return
  db.sql('delete from dependency where issue_id = ?').run(id)
  const once = new Map(dependencies.map((edge) => [edge.depends_on_id, edge]))
  for (const edge of once.values()) insertEdge(db, { ...edge, issue_id: id })
  for (const { depends_on_id } of [...before, ...once.values()]) recomputeReadiness(db, affectedBy(db, depends_on_id))
}

function edgeKey(edge: Dependency): string {
  return JSON.stringify([edge.depends_on_id, edge.type, edge.metadata, edge.created_by])
}

function replaceComments(db: Database, { id, comments }: TaskRecord): void {
  db.sql('delete from comment where issue_id = ?').run(id)
  for (const each of comments) {
    db.sql('insert or replace into comment (id, issue_id, author, text, created_at) values (?, ?, ?, ?, ?)').run(
      each.id,
      id,
      each.author,
      each.text,
      each.created_at,
    )
  }
}

/**
 * bd shows a claim of this home's supervisor, but the store has no lease for it: the store lost it, or is an older copy.
 * The lease counts as expired. A supervisor that still runs the task renews it before anything reclaims it.
 */
const EXPIRE_LEASE = `update task set lease_until = 0 where status = 'in_progress' and lease_until is null`

/** The same for a supervisor's name learnt after the sync. A person's claim under that name has a token greater than 0. */
export function expireUnleased(db: Database, by: string): void {
  db.sql(`${EXPIRE_LEASE} and assignee = ? and claim_token = 0`).run(by)
}

/** Deletes tasks that bd no longer has. Returns the tasks whose readiness may change. */
function removeMissing(db: Database, present: ReadonlySet<string>, since: number): readonly string[] {
  const gone = db
    .sql<{ id: string; touched: number | null }>(
      'select id, touched from task left join beads_seen on beads_seen.task = task.id',
    )
    .all()
    .filter(({ id, touched }) => !present.has(id) && (touched ?? 0) < since)
  const affected = gone.flatMap(({ id }) => affectedBy(db, id))
  for (const { id } of gone) {
    db.sql('delete from task where id = ?').run(id)
    db.sql('delete from dependency where issue_id = ?1 or depends_on_id = ?1').run(id)
    db.sql('delete from label where task = ?').run(id)
    db.sql('delete from comment where issue_id = ?').run(id)
    db.sql('delete from beads_seen where task = ?').run(id)
    clearOutbox(db, id)
  }
  return affected
}
