/** `issue_id` depends on `depends_on_id`; the names are those of bd's interchange format. */
export interface Dependency {
  issue_id: string
  depends_on_id: string
  type: string
  created_at: string
  created_by: string
  /** A JSON string, as bd keeps it; '{}' when there is none. */
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

/**
 * A cycle of these would leave nothing in it ready for ever. `waits-for` is not among them: it looks at its target's
 * children, not at the target.
 */
export const SCHEDULING_TYPES = ['blocks', 'conditional-blocks', 'parent-child'] as const

/** Types that hold up by themselves, and so may not join a task with its own ancestor or descendant. */
export const HOLDING_TYPES = ['blocks', 'conditional-blocks'] as const

/** What people write for `blocks` when they think of the dependent. */
const TYPE_ALIASES: Readonly<Record<string, string>> = { 'depends-on': 'blocks', 'blocked-by': 'blocks' }

export function canonicalType(type: string): string {
  return Object.hasOwn(TYPE_ALIASES, type) ? (TYPE_ALIASES[type] as string) : type
}

/** Every type a person may name, aliases included, by name. */
export const TYPE_NAMES: readonly string[] = [...DEPENDENCY_TYPES, ...Object.keys(TYPE_ALIASES)].sort()

export function isScheduling(type: string): boolean {
  return (SCHEDULING_TYPES as readonly string[]).includes(type)
}

export function isHolding(type: string): boolean {
  return (HOLDING_TYPES as readonly string[]).includes(type)
}
