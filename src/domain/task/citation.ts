/** Matches an id as a whole word. The dot is the only character of an id that a pattern must escape. */
export function citationOf(id: string): RegExp {
  return new RegExp(`(^|[^A-Za-z0-9_-])${id.replaceAll('.', '\\.')}(?![A-Za-z0-9_-])`, 'g')
}

/** Fields in which people cite other tasks. */
export const CITING_FIELDS = ['description', 'notes', 'design', 'acceptance_criteria'] as const

/** Marks citations of deleted tasks: `see fleet-a1b` becomes `see [deleted:fleet-a1b]`. undefined if nothing changes. */
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
