import { bounded } from '../../domain/text/bounded.ts'

/** Reads JSON of unknown form: a value of the wrong type counts as absent, and every length is bounded. */
export type Fields = Readonly<Record<string, unknown>>

/** The most characters of a name, or of one line for people. */
export const SHORT = 200
/** The most entries of a list: far more than a real line has. */
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

/** A name or an id, bounded. */
export function word(value: unknown): string | undefined {
  const text = string(value)
  return text === undefined ? undefined : bounded(text, SHORT)
}

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined
}

/** The entries of a list that are objects. */
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

/** The entries of an object whose values are objects. */
export function entries(value: unknown): readonly (readonly [string, Fields])[] {
  return Object.entries(fields(value) ?? {})
    .slice(0, PARTS)
    .flatMap(([name, each]) => {
      const found = fields(each)
      return found === undefined ? [] : [[bounded(name, SHORT), found] as const]
    })
}

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The same entries without those that are undefined. */
export function known<T extends Readonly<Record<string, unknown>>>(values: T): Known<T> {
  const kept: Record<string, unknown> = {}
  for (const name in values) if (values[name] !== undefined) kept[name] = values[name]
  return kept as Known<T>
}
