/** Where text cites a task: the whole id, not a part of a longer word. Of an id's characters only the dot needs care. */
export function citationOf(id: string): RegExp {
  return new RegExp(`(^|[^A-Za-z0-9_-])${id.replaceAll('.', '\\.')}(?![A-Za-z0-9_-])`, 'g')
}

/** Fields of a task that people cite other tasks in. */
export const CITING_FIELDS = ['description', 'notes', 'design', 'acceptance_criteria'] as const

/** What of these texts changes when tasks are deleted: `see fleet-a1b` becomes `see [deleted:fleet-a1b]`. undefined: nothing. */
export function markedDeleted(
  texts: Readonly<Record<CitingField, string>>,
  deleted: readonly string[],
): Partial<Record<CitingField, string>> | undefined {
  const change: Partial<Record<CitingField, string>> = {}
  for (const field of CITING_FIELDS) {
    const text = deleted.reduce((sofar, gone) => sofar.replace(citationOf(gone), `$1[deleted:${gone}]`), texts[field])
    if (text !== texts[field]) change[field] = text
  }
  return Object.keys(change).length === 0 ? undefined : change
}

type CitingField = (typeof CITING_FIELDS)[number]
