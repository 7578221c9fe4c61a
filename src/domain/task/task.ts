/**
 * A task, in the field names of bd's interchange format: one vocabulary from the store to the JSON a script reads.
 * Text fields are '' when empty; times are RFC 3339 in UTC.
 */
export interface Task {
  id: string
  title: string
  description: string
  design: string
  acceptance_criteria: string
  notes: string
  spec_id: string
  status: Status
  /** 0 (critical) to 4 (backlog). */
  priority: number
  issue_type: string
  assignee: string
  owner: string
  estimated_minutes: number | null
  created_at: string
  created_by: string
  updated_at: string
  started_at: string | null
  closed_at: string | null
  close_reason: string
  closed_by_session: string
  due_at: string | null
  defer_until: string | null
  external_ref: string | null
  metadata: Metadata
  pinned: boolean
  ephemeral: boolean
  is_template: boolean
  /** Fields of the interchange format that fleet keeps without reading (gates, molecules, future fields). */
  extra: Readonly<Record<string, unknown>>
  labels: readonly string[]
}

export type Metadata = Readonly<Record<string, unknown>>

/** An empty task. Its keys are in the order in which bd writes them. */
export const BLANK_TASK: Task = Object.freeze({
  id: '',
  title: '',
  description: '',
  design: '',
  acceptance_criteria: '',
  notes: '',
  spec_id: '',
  status: 'open',
  priority: 0,
  issue_type: 'task',
  assignee: '',
  owner: '',
  estimated_minutes: null,
  created_at: '',
  created_by: '',
  updated_at: '',
  started_at: null,
  closed_at: null,
  close_reason: '',
  closed_by_session: '',
  due_at: null,
  defer_until: null,
  external_ref: null,
  metadata: {},
  labels: [],
  ephemeral: false,
  pinned: false,
  is_template: false,
  extra: {},
})

export const TASK_FIELDS = Object.keys(BLANK_TASK) as readonly (keyof Task)[]

/** Printed and exported even when empty; all other fields only when set. */
export const ALWAYS_PRINTED: ReadonlySet<string> = new Set(['id', 'title', 'priority', 'created_at', 'updated_at'])

export function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** bd's statuses. Any other string is a custom status, which is never ready. */
export const STATUSES = ['open', 'in_progress', 'blocked', 'deferred', 'closed', 'pinned', 'hooked'] as const
export type Status = (typeof STATUSES)[number] | (string & {})

/** A settled task no longer holds up others: a closed one is done, a pinned one stays as it is forever. */
export const SETTLED = ['closed', 'pinned'] as const

export function isSettled({ status }: { readonly status: string }): boolean {
  return (SETTLED as readonly string[]).includes(status)
}

export const TASK_TYPES = [
  'bug',
  'feature',
  'task',
  'epic',
  'chore',
  'decision',
  'message',
  'molecule',
  'gate',
  'spike',
  'story',
  'milestone',
  'event',
] as const

/**
 * Types that group, announce or guard work but are not work themselves: never claimed by an agent.
 * bd hands out epics; fleet does not (docs/reference/bd-compatibility.md).
 */
export const NOT_WORK = [
  'epic',
  'merge-request',
  'gate',
  'molecule',
  'message',
  'agent',
  'role',
  'rig',
  'event',
] as const

export function isWork(type: string): boolean {
  return !(NOT_WORK as readonly string[]).includes(type)
}

export const TITLE_LIMIT = 500
