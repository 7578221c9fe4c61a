import { NOT_WORK } from '../../domain/task/task.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import type { SqlArgument } from '../../platform/postgres/postgres.ts'
import type { TaskFilter } from '../../ports/task-store.ts'
import { listed } from '../terms.ts'
import { READ_MOMENT } from './moment.ts'

export interface Where {
  readonly sql: string
  readonly args: readonly SqlArgument[]
}

/** Adds an argument and returns its placeholder. */
type Bind = (value: SqlArgument) => string
/** undefined: the value adds no condition. */
type Term = (value: never, bind: Bind) => string | undefined

const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')
/** With the "C" collation `ilike` ignores only the case of ASCII letters, as SQLite's `like` does. */
const contains = (column: string) => (text: string, bind: Bind) => `${column} ilike ${bind(`%${escaped(text)}%`)}`
const among = (column: string) => (values: readonly string[], bind: Bind) =>
  `${column} = any(${bind([...values])}::text[])`
const notAmong = (column: string) => (values: readonly string[], bind: Bind) =>
  `${column} <> all(${bind([...values])}::text[])`
const compare = (column: string, operator: string) => (value: SqlArgument, bind: Bind) =>
  `${column} ${operator} ${bind(value)}`
const flag = (column: string) => (on: boolean) => `${column} = ${on ? 1 : 0}`
const onlyWhenOn = (sql: string) => (on: boolean) => (on ? sql : undefined)
/** An id, or a ticket in another tracker. */
const REFERENCE = /^[A-Za-z0-9.]+-[A-Za-z0-9.-]+$/
const labelled = 'select 1 from label l where l.task = task.id'
const labelledAny = (labels: readonly string[], bind: Bind) =>
  `exists (${labelled} and l.label = any(${bind([...labels])}::text[]))`

/** A single status becomes literal SQL, because only then its partial index is used. */
const isOne = (values: readonly string[], value: string) => values.length === 1 && values[0] === value

/** One entry per condition of TaskFilter: a new condition without its SQL does not compile. */
const TERMS: Record<
  Exclude<
    keyof TaskFilter,
    'ready' | 'includeDeferred' | 'includeEphemeral' | 'recursive' | 'parent' | 'labelPattern' | 'labelRegex'
  >,
  Term
> = {
  ids: among('task.id'),
  statuses: (values: readonly string[], bind: Bind) =>
    isOne(values, 'blocked') ? `task.status = 'blocked'` : among('task.status')(values, bind),
  notStatuses: notAmong('task.status'),
  types: among('task.issue_type'),
  notTypes: notAmong('task.issue_type'),
  priority: compare('task.priority', '='),
  priorityMin: compare('task.priority', '>='),
  priorityMax: compare('task.priority', '<='),
  assignee: compare('task.assignee', '='),
  labelsAll: (labels: readonly string[], bind: Bind) => {
    const wanted = [...new Set(labels)]
    return `(select count(*) from label l where l.task = task.id and l.label = any(${bind(wanted)}::text[])) = ${wanted.length}`
  },
  labelsAny: labelledAny,
  notLabels: (labels: readonly string[], bind: Bind) => `not ${labelledAny(labels, bind)}`,
  noLabels: onlyWhenOn(`not exists (${labelled})`),
  noParent: onlyWhenOn(
    `not exists (select 1 from dependency d where d.issue_id = task.id and d.type = 'parent-child')`,
  ),
  text: (text: string, bind: Bind) => {
    const columns = ['task.title', 'task.id', ...(REFERENCE.test(text) ? ['task.external_ref'] : [])]
    return `(${columns.map((column) => contains(column)(text, bind)).join(' or ')})`
  },
  titleContains: contains('task.title'),
  descriptionContains: contains('task.description'),
  notesContains: contains('task.notes'),
  externalContains: contains('task.external_ref'),
  externalRef: compare('task.external_ref', '='),
  emptyDescription: onlyWhenOn(`task.description = ''`),
  specPrefix: (text: string, bind: Bind) => `task.spec_id ilike ${bind(`${escaped(text)}%`)}`,
  createdAfter: compare('task.created_at', '>'),
  createdBefore: compare('task.created_at', '<'),
  updatedAfter: compare('task.updated_at', '>'),
  updatedBefore: compare('task.updated_at', '<'),
  closedAfter: compare('task.closed_at', '>'),
  closedBefore: compare('task.closed_at', '<'),
  dueAfter: compare('task.due_at', '>'),
  dueBefore: compare('task.due_at', '<'),
  deferAfter: compare('task.defer_until', '>'),
  deferBefore: compare('task.defer_until', '<'),
  deferred: onlyWhenOn(`(task.defer_until is not null or task.status = 'deferred')`),
  overdueAt: (at: string, bind: Bind) => `task.due_at < ${bind(at)} and task.status <> 'closed'`,
  metadata: (wanted: Readonly<Record<string, string>>, bind: Bind) =>
    Object.entries(wanted)
      .map(([key, value]) => {
        const place = `${bind(key)}::text`
        // A JSON null is a value; a missing key is not.
        return `(task.metadata::json -> ${place} is not null
          and coalesce(task.metadata::json ->> ${place}, 'null') = ${bind(value)})`
      })
      .join(' and ') || undefined,
  hasMetadataKey: (key: string, bind: Bind) => `task.metadata::json -> ${bind(key)}::text is not null`,
  pinned: flag('task.pinned'),
  template: flag('task.is_template'),
  ephemeral: flag('task.ephemeral'),
}

export interface Circumstances {
  /** The caller's time in milliseconds; null: the server's. */
  readonly own: number | null
  /** The labels that each pattern of the filter matches. A task must have one label of each set. */
  readonly labelSets?: readonly (readonly string[])[]
}

export function whereOf(filter: TaskFilter, { own, labelSets = [] }: Circumstances): Where {
  const terms: string[] = []
  const args: SqlArgument[] = []
  const bind: Bind = (value) => `$${args.push(value)}`
  for (const [name, term] of Object.entries(TERMS)) {
    const value = filter[name as keyof TaskFilter]
    const sql = value === undefined ? undefined : term(value as never, bind)
    if (sql !== undefined) terms.push(sql)
  }
  for (const labels of labelSets) terms.push(labelledAny(labels, bind))
  if (filter.parent !== undefined) {
    terms.push((filter.recursive === true ? DESCENDANTS : CHILDREN).replace('?', () => bind(filter.parent as string)))
  }
  if (filter.ready === true) terms.push(...readyTerms(filter, own, bind))
  return { sql: terms.length === 0 ? 'true' : terms.join(' and '), args }
}

function readyTerms(filter: TaskFilter, own: number | null, bind: Bind): string[] {
  const at = own === null ? READ_MOMENT.at : bind(rfc3339(own))
  const ms = own === null ? READ_MOMENT.ms : `${bind(own)}::bigint`
  return [
    // A task whose deferral is due counts as open; the next write stores that (deferral.ts).
    `(task.status = 'open' or (task.status = 'deferred' and task.defer_until <= ${at}))`,
    'task.is_blocked = 0 and task.pinned = 0 and task.is_template = 0',
    ...(filter.ephemeral === undefined && filter.includeEphemeral !== true ? ['task.ephemeral = 0'] : []),
    ...(filter.types === undefined ? [`task.issue_type not in (${listed(NOT_WORK)})`] : []),
    ...(filter.includeDeferred === true ? [] : [`(task.hold_until is null or task.hold_until <= ${at})`]),
    `(task.not_before is null or task.not_before <= ${ms})`,
  ]
}

const CHILDREN = `exists (select 1 from dependency d where d.issue_id = task.id and d.type = 'parent-child' and d.depends_on_id = ?)`
const DESCENDANTS = `task.id in (
  with recursive below(id) as (
    select issue_id from dependency where depends_on_id = ? and type = 'parent-child'
    union select d.issue_id from dependency d join below on d.depends_on_id = below.id and d.type = 'parent-child')
  select id from below)`
