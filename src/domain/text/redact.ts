import { SHAPES } from './secret-shapes.ts'

const MASK = '[redacted]'

/** Shorter values could be ordinary words. */
export const SHORTEST_VALUE = 8

/** Masks everything that looks like a secret, and the given secret `values`, which must come longest first. */
export function redact(text: string, values: readonly string[] = []): string {
  // Most texts of an event are ids and names.
  if (text.length < SHORTEST_VALUE) return text
  let clean = text
  for (const value of values) {
    if (value.length >= SHORTEST_VALUE && clean.includes(value)) clean = clean.replaceAll(value, MASK)
  }
  for (const { has, begins, secret } of SHAPES) {
    if ((has === undefined || clean.includes(has)) && begins.test(clean)) clean = clean.replace(secret, masked)
  }
  return clean
}

/** The group that matched stays visible. After the groups comes the offset, a number. */
function masked(_whole: string, ...groups: readonly unknown[]): string {
  const visible = groups.find((group) => group !== undefined)
  return `${typeof visible === 'string' ? visible : ''}${MASK}`
}

/** A private key has fewer lines; a stray first line must not hide all that follows. */
const LONGEST_KEY = 150

/** For text that is shown line by line: a private key goes over many lines, which look like nothing alone. */
export function lineRedaction(clean: (line: string) => string): (line: string) => string {
  let left = 0
  return (line) => {
    if (left > 0) {
      left = KEY_END.test(line) ? 0 : left - 1
      return MASK
    }
    const key = KEY_BEGIN.exec(line)
    if (key !== null && !KEY_END.test(line.slice(key.index))) left = LONGEST_KEY
    return clean(line)
  }
}

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/

/** Applies `clean` to every string of a value, at any depth. A value in which nothing changes is returned as it is. */
export function mapStrings<T>(value: T, clean: (text: string) => string): T {
  if (typeof value === 'string') return clean(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const mapped = value.map((each) => mapStrings(each, clean))
    return mapped.every((each, i) => each === value[i]) ? value : (mapped as T)
  }
  const changed = Object.entries(value).flatMap(([name, each]) => {
    const mapped = mapStrings(each, clean)
    return mapped === each ? [] : [[name, mapped] as const]
  })
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}
