/** Reading JSON of which nothing is certain: what is not of the wanted type is not there. */
export type Fields = Readonly<Record<string, unknown>>

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

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Not empty. */
export function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined
}

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The entries that are known, so that an unknown one is absent instead of undefined. */
export function known<T extends Readonly<Record<string, unknown>>>(entries: T): Known<T> {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as Known<T>
}

/** Those of a list that have fields. */
export function each(values: readonly unknown[]): readonly Fields[] {
  return values.map(fields).filter((value) => value !== undefined)
}
