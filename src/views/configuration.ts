import { type Effective, effectiveSettings } from '../config/effective.ts'
import { fileInForce, textOf } from '../config/in-force.ts'
import { findSetting, type Key, keyText, parseKey } from '../config/key.ts'
import { loadConfig } from '../config/load.ts'
import { maskedText } from '../config/mask.ts'
import { isReserved, withoutEffectLine } from '../config/not-yet.ts'
import { policyOf } from '../config/policy.ts'
import { changedText, decisionText } from '../domain/fleet/home-file.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import { isObject } from '../domain/task/settings.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { readKeptFile } from '../platform/files/kept-file.ts'
import type { Holder } from '../platform/sqlite/supervisor-lock.ts'

export type PolicyInForce =
  | { readonly policy: Policy; readonly problem: undefined }
  /** runtime.toml cannot be read, and this is why. */
  | { readonly policy: undefined; readonly problem: string }

/**
 * The policy that the configuration and the supervisor's flags make. A wrong file is a value here: the supervisor
 * keeps the last good configuration, so its work can still be shown, and the problem explains why an edit has no effect.
 */
export async function policyInForce(home: Home, holder: Holder | undefined): Promise<PolicyInForce> {
  try {
    const { config } = await loadConfig(home.config)
    return { policy: policyOf(config, holder?.flags ?? {}), problem: undefined }
  } catch (error) {
    if (error instanceof AppError) return { policy: undefined, problem: error.message }
    throw error
  }
}

export interface SettingsInForce {
  /** The file. */
  readonly path: string
  readonly settings: readonly Effective[]
  /** A sentence about settings of the file that are not available yet. */
  readonly warning: string | undefined
}

/** Every setting with its value and source; secrets are masked. */
export async function settingsInForce(home: Home): Promise<SettingsInForce> {
  home.requireFolder()
  const loaded = await loadConfig(home.config)
  const warning = withoutEffectLine(loaded.withoutEffect)
  return { path: home.config, settings: effectiveSettings(loaded), warning }
}

/** One setting in force, or those of a table such as `timeouts`. Refuses a key that does not exist. */
export async function settingInForce(
  home: Home,
  text: string,
): Promise<SettingsInForce & { readonly isTable: boolean }> {
  const inForce = await settingsInForce(home)
  const { settings } = inForce
  const key = parseKey(text)
  if (key === undefined) {
    throw new AppError('usage', `${JSON.stringify(text)} is no key`, {
      hint: 'for example: fleet config get timeouts.idle',
    })
  }
  const found = findSetting(key)
  if (isReserved(key)) {
    throw new AppError('not-found', `${keyText(key)} is not available yet`, {
      hint: 'fleet config show lists the settings in force',
    })
  }
  if (found.kind === 'unknown') {
    throw new AppError('not-found', `there is no setting ${keyText(key)}`, {
      hint: found.near === undefined ? 'fleet config show lists all' : `did you mean ${found.near}?`,
    })
  }
  const name = keyText(key)
  const rows = settings.filter((row) => row.key === name || row.key.startsWith(`${name}.`))
  const isTable = found.kind === 'section'
  if (found.kind === 'variable') return { ...inForce, isTable, settings: [variableIn(settings, key)] }
  // A setting of a table that the user names is listed only if it is given.
  if (rows.length === 0 && !isTable)
    return { ...inForce, isTable, settings: [{ key: name, value: undefined, source: 'default' }] }
  return { ...inForce, isTable, settings: rows }
}

/** One variable of an `env` table, masked with the table. */
function variableIn(settings: readonly Effective[], key: Key): Effective {
  const table = settings.find((row) => row.key === keyText(key.slice(0, -1)))
  const value = isObject(table?.value) ? table.value[key.at(-1) ?? ''] : undefined
  return { key: keyText(key), value, source: value === undefined ? 'default' : 'given' }
}

/** A sentence for people if the file is not in force as it is. */
export function changeWarning(home: Home): string | undefined {
  const looked = fileInForce(home.requireFolder(), home.config)
  return looked.standing === 'held'
    ? `warning: ${changedText(looked)}, and is not in force: ${decisionText(looked)}`
    : undefined
}

/** The text of the file, secrets masked; empty where there is no file. */
export function configurationText(home: Home): { readonly path: string; readonly text: string } {
  home.requireFolder()
  return { path: home.config, text: maskedText(textOf(home.config, readKeptFile(home.config)) ?? '') }
}
