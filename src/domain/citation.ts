/** Where text cites a task: the whole id, not a part of a longer word. Of an id's characters only the dot needs care. */
export function citationOf(id: string): RegExp {
  return new RegExp(`(^|[^A-Za-z0-9_-])${id.replaceAll('.', '\\.')}(?![A-Za-z0-9_-])`, 'g')
}

/** Fields of a task that people cite other tasks in. */
export const CITING_FIELDS = ['description', 'notes', 'design', 'acceptance_criteria'] as const
