/**
 * Cuts a text at `limit` characters. The cut text is a copy: V8 keeps the whole string in memory for as long as a slice of
 * it lives, and callers keep these texts for as long as a run lasts.
 */
export function bounded(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${Buffer.from(text.slice(0, limit)).toString()}…`
}

/** The first line that is not blank, cut at `limit`. */
export function firstLine(text: string, limit: number): string {
  const trimmed = text.trimStart()
  const end = trimmed.indexOf('\n')
  return bounded(end === -1 ? trimmed : trimmed.slice(0, end), limit).trimEnd()
}
