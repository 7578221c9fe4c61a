import type { Raw } from './check.ts'
import { type Key, keyText } from './key.ts'

/**
 * The settings whose feature does not exist yet, once. fleet accepts no value that it would ignore: `config set` refuses
 * these, a runtime.toml that has them is used without them, and the user is told so. A feature that lands moves its row
 * to schema.ts; until then no help, template or page names it.
 */
const NOT_YET: readonly NotYet[] = [
  { key: 'budget' },
  { key: 'lanes' },
  ...['fallback', 'context'].map((name) => ({
    key: `projects.*.${name}`,
  })),
]

interface NotYet {
  /** `*` stands for a name of the user's. Everything below the key belongs to it. */
  readonly key: string
}

/** Whether this setting has to wait for its feature. */
export function isReserved(key: Key): boolean {
  return rowOf(key) !== undefined
}

function rowOf(key: Key): NotYet | undefined {
  return NOT_YET.find((row) => {
    const words = row.key.split('.')
    return words.length <= key.length && words.every((word, i) => word === '*' || word === key[i])
  })
}

export interface Available {
  /** The file without the settings that are not available yet. */
  readonly rest: Raw
  /** Those that the file has, and that have no effect. */
  readonly withoutEffect: readonly string[]
}

export function available(raw: Raw): Available {
  const withoutEffect: string[] = []
  const walk = (table: Raw, at: Key): Raw => {
    const kept: [string, unknown][] = []
    for (const [name, value] of Object.entries(table)) {
      const key = [...at, name]
      // A table holds settings; an empty one sets nothing.
      if (isTable(value)) {
        const inner = walk(value, key)
        if (!isReserved(key)) kept.push([name, inner])
      } else if (!isReserved(key)) kept.push([name, value])
      else withoutEffect.push(keyText(key))
    }
    return Object.fromEntries(kept)
  }
  return { rest: walk(raw, []), withoutEffect }
}

/** How many keys the message names. */
const NAMED = 5

/** One sentence about all of them; undefined: there are none. */
export function withoutEffectLine(keys: readonly string[]): string | undefined {
  if (keys.length === 0) return undefined
  const named = keys.length > NAMED ? [...keys.slice(0, NAMED), `${keys.length - NAMED} more`] : keys
  const list = named.join(', ').replace(/, ([^,]*)$/, ' and $1')
  return keys.length === 1
    ? `runtime.toml: ${list} is not available yet and has no effect`
    : `runtime.toml: ${list} are not available yet and have no effect`
}

function isTable(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
