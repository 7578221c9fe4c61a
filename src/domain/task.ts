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
  /** Fields of the interchange format that fleet carries without reading (gates, molecules, fields yet to come). */
  extra: Readonly<Record<string, unknown>>
  labels: readonly string[]
}

export type Metadata = Readonly<Record<string, unknown>>

/** bd's own words; a custom status is any other string, and is never ready. */
export const STATUSES = ['open', 'in_progress', 'blocked', 'deferred', 'closed', 'pinned', 'hooked'] as const
export type Status = (typeof STATUSES)[number] | (string & {})

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
 * Types that group, announce or guard work but are not work themselves: never handed out.
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

export const TITLE_LIMIT = 500
