import { NOT_WORK } from '../../domain/task/task.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import type { SqlValue } from '../../platform/sqlite/database.ts'
import type { TaskFilter } from '../../ports/task-store.ts'
import { listed } from '../terms.ts'

export interface Where {
  readonly sql: string
  readonly args: readonly SqlValue[]
}

/** undefined: the value adds no condition. */
type Term = (value: never) => readonly [sql: string, ...args: SqlValue[]] | undefined

const like = (column: string) => (text: string) =>
  [`${column} like ? escape '\\'`, `%${text.replace(/[\\%_]/g, '\\$&')}%`] as const
const among = (column: string) => (values: readonly string[]) =>
  [`${column} in (select value from json_each(?))`, JSON.stringify(values)] as const
const notAmong = (column: string) => (values: readonly string[]) =>
  [`${column} not in (select value from json_each(?))`, JSON.stringify(values)] as const
const compare = (column: string, operator: string) => (value: SqlValue) => [`${column} ${operator} ?`, value] as const
const flag = (column: string) => (on: boolean) => [`${column} = ${on ? 1 : 0}`] as const
const onlyWhenOn = (sql: string) => (on: boolean) => (on ? ([sql] as const) : undefined)
/** An id, or a ticket in another tracker. */
const REFERENCE = /^[A-Za-z0-9.]+-[A-Za-z0-9.-]+$/
const labelled = `select 1 from label l where l.task = task.id`

/** A single status becomes literal SQL, because only then its partial index is used. */
const isOne = (values: readonly string[], value: string) => values.length === 1 && values[0] === value

/** One entry per condition of TaskFilter: a new condition without its SQL does not compile. */
const TERMS: Record<
  Exclude<keyof TaskFilter, 'ready' | 'includeDeferred' | 'includeEphemeral' | 'recursive' | 'parent'>,
  Term
> = {
  ids: among('task.id'),
  statuses: (values: readonly string[]) =>
    isOne(values, 'blocked') ? [`task.status = 'blocked'`] : among('task.status')(values),
  notStatuses: notAmong('task.status'),
  types: among('task.issue_type'),
  notTypes: notAmong('task.issue_type'),
  priority: compare('task.priority', '='),
  priorityMin: compare('task.priority', '>='),
  priorityMax: compare('task.priority', '<='),
  assignee: compare('task.assignee', '='),
  labelsAll: (labels: readonly string[]) => [
    `(select count(*) from label l where l.task = task.id and l.label in (select value from json_each(?))) = ?`,
    JSON.stringify([...new Set(labels)]),
    new Set(labels).size,
  ],
  labelsAny: (labels: readonly string[]) => [
    `exists (${labelled} and l.label in (select value from json_each(?)))`,
    JSON.stringify(labels),
  ],
  notLabels: (labels: readonly string[]) => [
    `not exists (${labelled} and l.label in (select value from json_each(?)))`,
    JSON.stringify(labels),
  ],
  labelPattern: (pattern: string) => [`exists (${labelled} and l.label glob ?)`, pattern],
  labelRegex: (pattern: string) => [`exists (${labelled} and matches_regex(?, l.label) = 1)`, pattern],
  noLabels: onlyWhenOn(`not exists (${labelled})`),
  noParent: onlyWhenOn(
    `not exists (select 1 from dependency d where d.issue_id = task.id and d.type = 'parent-child')`,
  ),
  text: (text: string) => {
    const columns = ['task.title', 'task.id', ...(REFERENCE.test(text) ? ['task.external_ref'] : [])]
    const terms = columns.map((column) => like(column)(text))
    return [`(${terms.map(([sql]) => sql).join(' or ')})`, ...terms.map(([, pattern]) => pattern)]
  },
  titleContains: like('task.title'),
  descriptionContains: like('task.description'),
  notesContains: like('task.notes'),
  externalContains: like('task.external_ref'),
  externalRef: compare('task.external_ref', '='),
  emptyDescription: onlyWhenOn(`task.description = ''`),
  specPrefix: (text: string) => [`task.spec_id like ? escape '\\'`, `${text.replace(/[\\%_]/g, '\\$&')}%`],
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
  overdueAt: (at: string) => [`task.due_at < ? and task.status <> 'closed'`, at],
  metadata: (wanted: Readonly<Record<string, string>>) => {
    const keys = Object.keys(wanted)
    if (keys.length === 0) return undefined
    const one = `(select case when type in ('true', 'false', 'null') then type else cast(value as text) end
      from json_each(task.metadata) where key = ?) = ?`
    return [keys.map(() => one).join(' and '), ...keys.flatMap((key) => [key, wanted[key] as string])]
  },
  hasMetadataKey: (key: string) => [`exists (select 1 from json_each(task.metadata) where key = ?)`, key],
  pinned: flag('task.pinned'),
  template: flag('task.is_template'),
  ephemeral: flag('task.ephemeral'),
}

export function whereOf(filter: TaskFilter, millis: number): Where {
  const now = rfc3339(millis)
  const terms: string[] = []
  const args: SqlValue[] = []
  for (const [name, term] of Object.entries(TERMS)) {
    const value = filter[name as keyof TaskFilter]
    const asked = value === undefined ? undefined : term(value as never)
    if (asked === undefined) continue
    const [sql, ...more] = asked
    terms.push(sql)
    args.push(...more)
  }
  if (filter.parent !== undefined) {
    terms.push(filter.recursive === true ? DESCENDANTS : CHILDREN)
    args.push(filter.parent)
  }
  if (filter.ready === true) {
    // A task whose deferral is due counts as open; the next write stores that (deferral.ts).
    terms.push(`(task.status = 'open' or (task.status = 'deferred' and task.defer_until <= ?))`)
    args.push(now)
    terms.push(`task.is_blocked = 0 and task.pinned = 0 and task.is_template = 0`)
    if (filter.ephemeral === undefined && filter.includeEphemeral !== true) terms.push('task.ephemeral = 0')
    if (filter.types === undefined) terms.push(`task.issue_type not in (${listed(NOT_WORK)})`)
    if (filter.includeDeferred !== true) {
      terms.push('(task.hold_until is null or task.hold_until <= ?)')
      args.push(now)
    }
    terms.push('(task.not_before is null or task.not_before <= ?)')
    args.push(millis)
  }
  return { sql: terms.length === 0 ? '1' : terms.join(' and '), args }
}

const CHILDREN = `exists (select 1 from dependency d where d.issue_id = task.id and d.type = 'parent-child' and d.depends_on_id = ?)`
const DESCENDANTS = `task.id in (
  with recursive below(id) as (
    select issue_id from dependency where depends_on_id = ? and type = 'parent-child'
    union select d.issue_id from dependency d join below on d.depends_on_id = below.id and d.type = 'parent-child')
  select id from below)`
