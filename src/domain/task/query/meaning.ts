import { ownEntry } from '../../text/own-entry.ts'
import type { Dependency } from '../dependency.ts'
import { STATUSES, type Task } from '../task.ts'
import { parseTimeExpression } from '../time-expression.ts'
import type { Comparison, Expression } from './syntax.ts'
import { QueryMistake } from './words.ts'

export interface Queried extends Task {
  readonly dependencies: readonly Dependency[]
}

export type Test = (task: Queried) => boolean

/**
 * Compiles an expression into a predicate on tasks. Every comparison is validated, even one that short-circuiting would
 * never reach. Throws QueryMistake. `statuses`: every word that is one.
 */
export function queryTest(expression: Expression, now: Date, statuses: readonly string[] = STATUSES): Test {
  switch (expression.kind) {
    case 'comparison':
      return comparisonTest(expression, now, statuses)
    case 'not': {
      const operand = queryTest(expression.operand, now, statuses)
      return (task) => !operand(task)
    }
    case 'and':
    case 'or': {
      const [left, right] = [queryTest(expression.left, now, statuses), queryTest(expression.right, now, statuses)]
      return expression.kind === 'and' ? (task) => left(task) && right(task) : (task) => left(task) || right(task)
    }
  }
}

type Field = (comparison: Comparison, now: Date, statuses: readonly string[]) => Test

const FIELDS: Readonly<Record<string, Field>> = {
  status: equality('status', ({ value }, _now, statuses) => {
    const status = value.toLowerCase()
    if (!statuses.includes(status)) throw new QueryMistake(`invalid status: ${value}`)
    return (task) => task.status === status
  }),
  priority,
  type: equality('type', ({ value }) => {
    const type = value.toLowerCase()
    return (task) => task.issue_type === type
  }),
  assignee: equality('assignee', ({ value }) => {
    const assignee = isNone(value) ? '' : value
    return (task) => task.assignee === assignee
  }),
  owner: equality(
    'owner',
    ({ value }) =>
      (task) =>
        task.owner === value,
  ),
  label: equality('label', ({ value }) =>
    isNone(value) ? (task) => task.labels.length === 0 : (task) => task.labels.includes(value),
  ),
  title: equality('title', ({ value }) => contains((task) => task.title, value)),
  description: equality('description', ({ value }) =>
    isNone(value) ? (task) => task.description === '' : contains((task) => task.description, value),
  ),
  notes: equality('notes', ({ value }) => contains((task) => task.notes, value)),
  created: moment('created', (task) => task.created_at),
  updated: moment('updated', (task) => task.updated_at),
  started: moment('started', (task) => task.started_at),
  closed: moment('closed', (task) => task.closed_at),
  id: equality('id', ({ value }) =>
    value.endsWith('*') ? (task) => task.id.startsWith(value.slice(0, -1)) : (task) => task.id === value,
  ),
  spec: equality('spec', ({ value }) => {
    const prefix = value.endsWith('*') ? value.slice(0, -1) : value
    return (task) => task.spec_id.startsWith(prefix)
  }),
  parent: onlyEqual('parent only supports', ({ value }) => {
    const isParent = (edge: Dependency) => edge.type === 'parent-child' && edge.depends_on_id === value
    return (task) => task.dependencies.some(isParent)
  }),
  pinned: flag('pinned', (task) => task.pinned),
  ephemeral: flag('ephemeral', (task) => task.ephemeral),
  template: flag('template', (task) => task.is_template),
  mol_type: onlyEqual('mol_type only supports', ({ value }) => {
    const type = value.toLowerCase()
    if (!['swarm', 'patrol', 'work'].includes(type)) throw new QueryMistake(`invalid mol_type: ${value}`)
    return (task) => task.extra['mol_type'] === type
  }),
  has_metadata_key: onlyEqual('has_metadata_key only supports', ({ value }) => {
    const key = metadataKey(value)
    return (task) => Object.hasOwn(task.metadata, key)
  }),
}

const ALIASES: Readonly<Record<string, string>> = {
  desc: 'description',
  labels: 'label',
  spec_id: 'spec',
  created_at: 'created',
  updated_at: 'updated',
  started_at: 'started',
  closed_at: 'closed',
}

function comparisonTest(comparison: Comparison, now: Date, statuses: readonly string[]): Test {
  const { field } = comparison
  const meaning = ownEntry(FIELDS, ownEntry(ALIASES, field) ?? field)
  if (meaning !== undefined) return meaning(comparison, now, statuses)
  if (field.startsWith('metadata.')) return METADATA(comparison, now, statuses)
  throw new QueryMistake(`unknown field: ${field}`)
}

const METADATA = onlyEqual('metadata fields only support', ({ field, value }) => {
  const key = metadataKey(field.slice('metadata.'.length))
  return ({ metadata }) => {
    const found = ownEntry(metadata, key)
    return found !== undefined && (typeof found === 'string' ? found : JSON.stringify(found)) === value
  }
})

const KEY = /^[a-zA-Z_][a-zA-Z0-9_./]*$/

function metadataKey(key: string): string {
  if (KEY.test(key)) return key
  throw new QueryMistake(`invalid metadata key ${JSON.stringify(key)}: must match ${KEY.source}`)
}

/** Supports `name=value` and its negation `name!=value`. */
function equality(name: string, equal: Field): Field {
  return (comparison, now, statuses) => {
    if (comparison.operator === '=') return equal(comparison, now, statuses)
    if (comparison.operator !== '!=') throw new QueryMistake(`${name} only supports = and != operators`)
    const test = equal(comparison, now, statuses)
    return (task) => !test(task)
  }
}

function onlyEqual(supports: string, equal: Field): Field {
  return (comparison, now, statuses) => {
    if (comparison.operator !== '=') throw new QueryMistake(`${supports} = operator`)
    return equal(comparison, now, statuses)
  }
}

function flag(name: string, of: Test): Field {
  return equality(name, ({ value }) => {
    const word = value.toLowerCase()
    const on = ['true', 'yes', '1'].includes(word)
    if (!(on || ['false', 'no', '0'].includes(word))) {
      throw new QueryMistake(`invalid boolean value for ${name}: ${value}`)
    }
    return (task) => of(task) === on
  })
}

function priority({ operator, value }: Comparison): Test {
  if (!/^[+-]?\d+$/.test(value)) throw new QueryMistake(`invalid priority value: ${value}`)
  const wanted = Number(value)
  if (wanted < 0 || wanted > 4) throw new QueryMistake('priority must be between 0 and 4')
  if ((operator === '<' && wanted === 0) || (operator === '>' && wanted === 4)) {
    throw new QueryMistake(`priority ${operator} ${wanted} matches nothing`)
  }
  const tests: Record<Comparison['operator'], Test> = {
    '=': (task) => task.priority === wanted,
    '!=': (task) => task.priority !== wanted,
    '<': (task) => task.priority < wanted,
    '<=': (task) => task.priority <= wanted,
    '>': (task) => task.priority > wanted,
    '>=': (task) => task.priority >= wanted,
  }
  return tests[operator]
}

/** A task without this time matches no operator. `=` and `!=` compare whole days; `<=` includes the whole day. */
function moment(name: string, of: (task: Queried) => string | null): Field {
  return ({ operator, value, ago }, now) => {
    const at = parseTimeExpression(ago ? `-${value.replace(/^\+/, '')}` : value, now)
    if (at === undefined) {
      const examples = '(examples: +6h, tomorrow, 2025-01-15)'
      throw new QueryMistake(`invalid ${name} time: cannot parse time expression: ${JSON.stringify(value)} ${examples}`)
    }
    const [wanted, from, to] = [at.getTime(), new Date(at).setHours(0, 0, 0, 0), new Date(at).setHours(24, 0, 0, 0)]
    const tests: Record<Comparison['operator'], (actual: number) => boolean> = {
      '=': (actual) => actual >= from && actual < to,
      '!=': (actual) => actual < from || actual >= to,
      '<': (actual) => actual < wanted,
      '<=': (actual) => actual < to,
      '>': (actual) => actual > wanted,
      '>=': (actual) => actual >= wanted,
    }
    const test = tests[operator]
    return (task) => {
      const actual = of(task)
      return actual !== null && test(Date.parse(actual))
    }
  }
}

function contains(of: (task: Queried) => string, value: string): Test {
  const wanted = value.toLowerCase()
  return (task) => of(task).toLowerCase().includes(wanted)
}

function isNone(value: string): boolean {
  return ['', 'none', 'null'].includes(value.toLowerCase())
}
