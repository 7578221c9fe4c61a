/** A NUL would end the text early in most programs that read it later; command lines and Postgres take none at all. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
