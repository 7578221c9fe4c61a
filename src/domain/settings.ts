import type { Metadata } from './task.ts'

/**
 * What the user gave fleet on one task. It lives in the task's metadata under the key `fleet`, so it is written in the
 * same statement as the task, travels with export and import, and survives a trip through a beads database.
 */
export interface TaskSettings {
  cwd?: string
  coder?: string
  model?: string
}

export const SETTINGS_KEY = 'fleet'
const FIELDS = ['cwd', 'coder', 'model'] as const

/** Anyone can write metadata, so what does not fit is left out instead of trusted. */
export function settingsOf(metadata: Metadata): TaskSettings {
  const given = metadata[SETTINGS_KEY]
  const settings: TaskSettings = {}
  if (typeof given !== 'object' || given === null) return settings
  for (const field of FIELDS) {
    const value = (given as Record<string, unknown>)[field]
    if (typeof value === 'string' && value !== '') settings[field] = value
  }
  return settings
}

/** An empty string takes a setting away; settings this version does not know are kept. */
export function withSettings(metadata: Metadata, change: TaskSettings): Metadata {
  const given = metadata[SETTINGS_KEY]
  const next: Record<string, unknown> = typeof given === 'object' && given !== null ? { ...given } : {}
  for (const field of FIELDS) {
    const value = change[field]
    if (value === undefined) continue
    if (value === '') delete next[field]
    else next[field] = value
  }
  const { [SETTINGS_KEY]: _old, ...rest } = metadata
  return Object.keys(next).length === 0 ? rest : { ...rest, [SETTINGS_KEY]: next }
}
