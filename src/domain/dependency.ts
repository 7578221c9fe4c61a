/** `issue_id` depends on `depends_on_id`; the names are those of bd's interchange format. */
export interface Dependency {
  issue_id: string
  depends_on_id: string
  type: string
  created_at: string
  created_by: string
  /** A JSON string, as bd keeps it; '' when there is none. */
  metadata: string
  thread_id: string
}

/** Only these decide whether a task is ready. `parent-child` passes a parent's block down; the rest hold it up themselves. */
export const BLOCKING_TYPES = ['blocks', 'conditional-blocks', 'waits-for', 'parent-child'] as const

export const DEPENDENCY_TYPES = [
  ...BLOCKING_TYPES,
  'related',
  'discovered-from',
  'replies-to',
  'relates-to',
  'duplicates',
  'supersedes',
  'authored-by',
  'assigned-to',
  'approved-by',
  'attests',
  'tracks',
  'until',
  'caused-by',
  'validates',
  'delegated-from',
] as const

export function affectsReadiness(type: string): boolean {
  return (BLOCKING_TYPES as readonly string[]).includes(type)
}
