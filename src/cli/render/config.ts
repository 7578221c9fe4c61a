import type { Edit } from '../../config/edit.ts'
import type { Effective } from '../../config/effective.ts'
import { keyText } from '../../config/key.ts'
import { masked } from '../../config/mask.ts'
import { isReserved } from '../../config/not-yet.ts'
import { tomlValue } from '../../config/toml-value.ts'
import { looksSecret } from '../../domain/agent/secret-name.ts'

/** A value for people and scripts: a string as it is, anything else as TOML. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : tomlValue(value)
}

/** One line per setting: its value, and whether the file sets it. */
export function settingLines(rows: readonly Effective[]): string[] {
  const width = Math.max(0, ...rows.map((row) => row.key.length))
  return rows.map((row) => `${row.key.padEnd(width)} = ${shown(row.value)}  (${row.source})`)
}

/** `max_concurrent = 5  (was 3)` */
export function changeLine({ key, before, value }: Edit): string {
  const was = before === undefined ? 'was the default' : `was ${shown(masked(named(key, before)))}`
  if (value === undefined) {
    // A setting that is not available yet has no default.
    return `${keyText(key)} is ${isReserved(key) ? 'removed' : 'the default again'}  (${was})`
  }
  return `${keyText(key)} = ${shown(masked(named(key, value)))}  (${was})`
}

/** Masks a single variable by its name, as in a table of variables. */
function named(key: Edit['key'], value: unknown): unknown {
  return typeof value === 'string' && looksSecret(key.at(-1) ?? '') ? '***' : value
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : tomlValue(value)
}
