import { hash } from 'node:crypto'
import type { Dependency } from '../../domain/task/dependency.ts'
import { recordOf, type TaskRecord } from '../../domain/task/interchange.ts'
import type { Database } from '../../platform/sqlite/database.ts'
import { FIELDS, stored } from '../row.ts'
import { insertEdge } from '../sqlite/dependencies.ts'
import { insertRow } from '../sqlite/insert.ts'
import { affectedBy, settleReadiness } from '../sqlite/readiness.ts'
import { acquit, FOLLOWED, handsOf, isOverdue, type Owed, owedOf } from './owed.ts'
import { stateOf } from './tables.ts'
import { placeholderOf } from './unread.ts'

export interface Look {
  /** bd's export: one line per task. */
  readonly lines: readonly string[]
  /** Before bd was asked: what fleet wrote since then is newer than what bd showed. */
  readonly since: number
  /** For a line that does not say when. */
  readonly now: string
}

export interface Taken {
  /** What bd was told and does not show, so that it has to be told again. */
  readonly lost: readonly Owed[]
  /** Why a line cannot be read, where it is news. */
  readonly unread: readonly string[]
}

/**
 * Brings the mirror up to what bd shows, all in one transaction.
 *
 * Who has a task (status and assignee) is decided by comparing three: what bd shows, what it showed the time before, and
 * what the mirror says. bd as before: the mirror is ahead of it, or nothing happened. bd as the mirror: fleet's own write
 * was seen. bd otherwise: somebody changed it behind fleet's back, and whoever held it is fenced off; except that a task
 * at work which bd shows as closed goes on, and its verdict decides.
 */
export function takeLook(db: Database, { lines, since, now }: Look): Taken {
  return db.write(() => {
    const lost: Owed[] = []
    const unread: string[] = []
    const touched = new Set<string>()
    const claimers = new Set(stateOf(db, 'claimers').split('\n'))
    const { present, news } = newsIn(db, lines)
    for (const { line, record: shown, why } of oldestFirst(news, now)) {
      if (why !== undefined) unread.push(why)
      const record = withoutFormerHolder(shown, claimers)
      present.add(record.id)
      const seen = db.sql<Seen>('select * from beads_seen where task = ?').get(record.id)
      if (seen !== undefined && seen.touched > since) continue
      const digest = hash('sha256', line)
      if (seen?.line === digest) {
        lost.push(...unheard(db, record, since))
        continue
      }
      take(db, record, { seen, since, lost, claimers })
      db.sql(
        `insert into beads_seen (task, line, status, assignee) values (?1, ?2, ?3, ?4)
         on conflict (task) do update set line = ?2, status = ?3, assignee = ?4`,
      ).run(record.id, digest, record.status, record.assignee)
      touched.add(record.id)
    }
    for (const id of forget(db, present, since)) touched.add(id)
    settleReadiness(db, touched)
    for (const id of touched) settleReadiness(db, affectedBy(db, id))
    return { lost, unread }
  })
}

/**
 * Most lines are as they were, and reading a line costs far more than recognising it. `present`: the tasks of those that
 * need no reading. A task that something is owed of is always read.
 */
function newsIn(db: Database, lines: readonly string[]): { present: Set<string>; news: readonly string[] } {
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

/** Near the beginning of every line that bd writes; where it is another, its line is read like any news. */
const ID = /"id":\s*"([^"]+)"/

interface News {
  readonly line: string
  readonly record: TaskRecord
  /** Why it is only a placeholder. */
  readonly why?: string
}

/** New tasks arrive here in the order in which they were made, whatever the order of the export. */
function oldestFirst(lines: readonly string[], now: string): readonly News[] {
  return lines
    .flatMap((line): readonly News[] => {
      const read = recordOf(line, now)
      if (read.kind === 'record') return [{ line, record: read.record }]
      if (read.kind === 'skipped') return []
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

/** bd leaves the name of a supervisor on what it closed or gave back; there it keeps every other claimer away. */
function withoutFormerHolder(record: TaskRecord, claimers: ReadonlySet<string>): TaskRecord {
  if (record.status === 'in_progress' || !claimers.has(record.assignee)) return record
  return { ...record, assignee: '' }
}

interface Standing {
  status: string
  assignee: string
}

/** What bd was told of this task before the look, and still does not show. */
function unheard(db: Database, record: TaskRecord, since: number): readonly Owed[] {
  const owed = owedOf(db, record.id)
  if (owed.length === 0) return []
  const mirror = standing(db, record.id)
  if (mirror !== undefined && handsOf(mirror) === handsOf(record)) {
    // Written in one look's time, or nothing of it changes hands.
    acquit(db, record.id)
    return []
  }
  return owed.filter((each) => isOverdue(each, since))
}

function standing(db: Database, id: string): Standing | undefined {
  return db.sql<Standing>('select status, assignee from task where id = ?').get(id)
}

const HANDS = new Set(['status', 'assignee', 'started_at', 'closed_at', 'close_reason', 'closed_by_session'])
const COLUMNS = FIELDS.filter((field) => field !== 'id' && field !== 'created_at')
const CONTENT = COLUMNS.filter((field) => !HANDS.has(field))
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
  }: { seen: Seen | undefined; since: number; lost: Owed[]; claimers: ReadonlySet<string> },
): void {
  const task = sound(record)
  const mirror = standing(db, task.id)
  const held = task.status === 'in_progress' && claimers.has(task.assignee)
  if (mirror === undefined) {
    insertRow(db, task)
    if (held) db.sql(`${LAPSED} and id = ?`).run(task.id)
  } else {
    const shown = handsOf(task)
    const owed = owedOf(db, task.id)
    if (shown === handsOf(mirror)) {
      acquit(db, task.id)
      replaceContent(db, task)
    } else if (seen !== undefined && (shown === handsOf(seen) || owed.some((each) => each.hands.includes(shown)))) {
      lost.push(...owed.filter((each) => isOverdue(each, since)))
      replaceContent(db, task)
    } else if (seen?.status !== FOLLOWED && SETTLED.has(task.status) && isAtWork(db, task.id)) {
      acquit(db, task.id)
      replaceContent(db, task)
    } else {
      acquit(db, task.id)
      db.sql(REPLACE_ALL).run(...COLUMNS.map((field) => stored(task[field])), task.id)
      if (held) db.sql(`${LAPSED} and id = ?`).run(task.id)
    }
    relabel(db, task)
  }
  relink(db, task)
  recomment(db, task)
}

/**
 * What settles a task holds nobody up any more. While it is at work, that is for its verdict: bd's database is in reach of
 * agents, and nothing in it tells whether an agent or a person wrote it. A person says it by way of fleet (`asPerson`).
 */
const SETTLED = new Set(['closed', 'pinned'])

function isAtWork(db: Database, id: string): boolean {
  const leased = `select 1 from task where id = ? and status = 'in_progress' and lease_until is not null`
  return db.sql(leased).get(id) !== undefined
}

/** A task of bd's as the mirror has it. */
export function asMirrored(record: TaskRecord, claimers: ReadonlySet<string>): TaskRecord {
  return sound(withoutFormerHolder(record, claimers))
}

/** bd lets some things be that the store does not. */
function sound(task: TaskRecord): TaskRecord {
  if (task.status === 'closed') return task.closed_at === null ? { ...task, closed_at: task.updated_at } : task
  return task.closed_at === null ? task : { ...task, closed_at: null }
}

function replaceContent(db: Database, task: TaskRecord): void {
  db.sql(REPLACE_CONTENT).run(...CONTENT.map((field) => stored(task[field])), task.id)
}

function relabel(db: Database, { id, labels }: TaskRecord): void {
  db.sql('delete from label where task = ?').run(id)
  for (const label of labels) db.sql('insert or ignore into label (task, label) values (?, ?)').run(id, label)
}

/** As bd has them, also those that fleet would have refused: it is bd's graph. */
function relink(db: Database, { id, dependencies }: TaskRecord): void {
  const before = db.sql<Dependency>('select * from dependency where issue_id = ?').all(id)
  if (JSON.stringify(before.map(essence).sort()) === JSON.stringify(dependencies.map(essence).sort())) return
  db.sql('delete from dependency where issue_id = ?').run(id)
  const once = new Map(dependencies.map((edge) => [edge.depends_on_id, edge]))
  for (const edge of once.values()) insertEdge(db, { ...edge, issue_id: id })
  for (const { depends_on_id } of [...before, ...once.values()]) settleReadiness(db, affectedBy(db, depends_on_id))
}

function essence(edge: Dependency): string {
  return JSON.stringify([edge.depends_on_id, edge.type, edge.metadata, edge.created_by])
}

function recomment(db: Database, { id, comments }: TaskRecord): void {
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
 * A task in the hands of a supervisor of this home, of whose lease nothing is known: the store lost it, or is an older one.
 * Nobody will renew it, so it has run out; whoever still works on it is heard before that is acted upon.
 */
const LAPSED = `update task set lease_until = 0 where status = 'in_progress' and lease_until is null`

/** The same for a name that was learnt after the look; what a person took under it, by way of this mirror, has a token. */
export function expireUnleased(db: Database, by: string): void {
  db.sql(`${LAPSED} and assignee = ? and claim_token = 0`).run(by)
}

/** What bd no longer has. Told: whoever may be freed by that. */
function forget(db: Database, present: ReadonlySet<string>, since: number): readonly string[] {
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
    acquit(db, id)
  }
  return affected
}
