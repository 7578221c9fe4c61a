/** Most programs would end the text at a NUL; command lines and Postgres refuse it outright. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

/** Removes NULs from every string of a JSON document, where JSON.stringify would hide them as escapes. */
export function jsonWithoutNul(value: unknown): string {
  return JSON.stringify(value, (_name, each) => (typeof each === 'string' ? withoutNul(each) : each))
}
