/** `issue_id` depends on `depends_on_id`, in the field names of bd's interchange format. */
export interface Dependency {
  issue_id: string
  depends_on_id: string
  type: string
  created_at: string
  created_by: string
  /** A JSON string, as in bd; '{}' if empty. */
  metadata: string
  thread_id: string
}

/**
 * Only these types decide whether a task is ready. `parent-child` passes a parent's block down; the others hold up the
 * dependent task directly.
 */
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

/**
 * Tasks in a cycle of these types would never become ready. `waits-for` is excluded: it looks at its target's children, not
 * at the target.
 */
export const SCHEDULING_TYPES = ['blocks', 'conditional-blocks', 'parent-child'] as const

/** These types hold up the dependent task directly, so they may not link a task to its own ancestor or descendant. */
export const HOLDING_TYPES = ['blocks', 'conditional-blocks'] as const

/** Names that people use for `blocks` from the dependent's point of view. */
const TYPE_ALIASES: Readonly<Record<string, string>> = { 'depends-on': 'blocks', 'blocked-by': 'blocks' }

export function canonicalType(type: string): string {
  return Object.hasOwn(TYPE_ALIASES, type) ? (TYPE_ALIASES[type] as string) : type
}

/** Every type name a person may use, with aliases, sorted. */
export const TYPE_NAMES: readonly string[] = [...DEPENDENCY_TYPES, ...Object.keys(TYPE_ALIASES)].sort()

export function isScheduling(type: string): boolean {
  return (SCHEDULING_TYPES as readonly string[]).includes(type)
}

export function isHolding(type: string): boolean {
  return (HOLDING_TYPES as readonly string[]).includes(type)
}
