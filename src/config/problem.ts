import type { Key } from './key.ts'
import { masked } from './mask.ts'

/** One mistake in a configuration. */
export interface Problem {
  readonly key: Key
  /** `is "5 min", expected a duration such as "5m"`, to be read after the key. */
  readonly what: string
  /** A command that fixes it. */
  readonly fix: string | undefined
}

/** A wrong value for a message: shortened, with secrets masked. */
export function shown(value: unknown): string {
  const text = JSON.stringify(masked(value)) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
