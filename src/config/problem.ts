import type { Key } from './key.ts'
import { masked } from './mask.ts'

/** One thing that is wrong with a configuration. */
export interface Problem {
  readonly key: Key
  /** `is "5 min", expected a duration such as "5m"`, to be read after the key. */
  readonly what: string
  /** A command that puts it right. */
  readonly fix: string | undefined
}

/** A wrong value as it may be shown: short, and without its secrets. */
export function shown(value: unknown): string {
  const text = JSON.stringify(masked(value)) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
