import { type Effective, effectiveSettings } from '../config/effective.ts'
import { loadConfig } from '../config/load.ts'
import { maskedText } from '../config/mask.ts'
import { withoutEffectLine } from '../config/not-yet.ts'
import { policyOf } from '../config/policy.ts'
import type { Policy } from '../domain/fleet/policy.ts'
import { AppError } from '../errors.ts'
import { readText } from '../platform/files/files.ts'
import type { Home } from '../platform/files/home.ts'
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

/** The text of the file, secrets masked; empty where there is no file. */
export function configurationText(home: Home): { readonly path: string; readonly text: string } {
  home.requireFolder()
  return { path: home.config, text: maskedText(readText(home.config) ?? '') }
}
