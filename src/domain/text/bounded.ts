/**
 * The beginning of a text that may be of any length. A cut text is copied: a part of a string keeps the whole of it in
 * memory, and this part may be kept for as long as a run lasts.
 */
export function bounded(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${Buffer.from(text.slice(0, limit)).toString()}…`
}

/** Its first line, as long as that. */
export function firstLine(text: string, limit: number): string {
  const trimmed = text.trimStart()
  const end = trimmed.indexOf('\n')
  return bounded(end === -1 ? trimmed : trimmed.slice(0, end), limit).trimEnd()
}
