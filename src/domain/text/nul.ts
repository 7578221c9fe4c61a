/** A NUL would end the text early in most programs that read it later; command lines and Postgres take none at all. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

/** The same of all texts in a JSON document, where a NUL is hidden in an escape. */
export function jsonWithoutNul(value: unknown): string {
  return JSON.stringify(value, (_name, each) => (typeof each === 'string' ? withoutNul(each) : each))
}
