import { bounded } from '../../domain/text/bounded.ts'

/** Reading JSON of which nothing is certain: what is not of the wanted type is not there, and nothing is of any length. */
export type Fields = Readonly<Record<string, unknown>>

/** Characters of a name, of one line for people. */
export const SHORT = 200
/** Parts of a list: far more than any honest line has. */
const PARTS = 1000

export function parsed(line: string): Fields | undefined {
  try {
    return fields(JSON.parse(line))
  } catch {
    return undefined
  }
}

export function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** Not empty. */
export function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A name, an id: a string of which nobody needs more than the beginning. */
export function word(value: unknown): string | undefined {
  const text = string(value)
  return text === undefined ? undefined : bounded(text, SHORT)
}

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined
}

/** Those of a list that have fields. */
export function parts(value: unknown): readonly Fields[] {
  if (!Array.isArray(value)) return []
  const found: Fields[] = []
  for (let i = 0; i < value.length && i < PARTS; i++) {
    const part = fields(value[i])
    if (part !== undefined) found.push(part)
  }
  return found
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.slice(0, PARTS).filter((each) => typeof each === 'string') : []
}

/** The named entries of an object that have fields themselves. */
export function entries(value: unknown): readonly (readonly [string, Fields])[] {
  return Object.entries(fields(value) ?? {})
    .slice(0, PARTS)
    .flatMap(([name, each]) => {
      const found = fields(each)
      return found === undefined ? [] : [[bounded(name, SHORT), found] as const]
    })
}

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** What is known of these: an unknown entry is absent instead of undefined. */
export function known<T extends Readonly<Record<string, unknown>>>(values: T): Known<T> {
  const kept: Record<string, unknown> = {}
  for (const name in values) if (values[name] !== undefined) kept[name] = values[name]
  return kept as Known<T>
}
