import { isAbsolute } from 'node:path'
import type { Metadata } from './task.ts'

/**
 * What the user gave fleet on one task. It lives in the task's metadata under the key `fleet`, so it is written in the
 * same statement as the task, travels with export and import, and survives a trip through a beads database.
 */
export interface TaskSettings {
  cwd?: string
  coder?: string
  model?: string
  /** A script, for a coder that runs scripts; otherwise its description is the script. */
  command?: string
  /** The machine it asks for: a name or a label. */
  on?: string
}

export const SETTINGS_KEY = 'fleet'
export const SETTING_NAMES = ['cwd', 'coder', 'model', 'command', 'on'] as const

/**
 * Whether a setting holds characters that it cannot. Most end up in one line of output or in the arguments of a program,
 * so line breaks count; a script may have them, and only a NUL would end it early.
 */
export function hasControls(name: (typeof SETTING_NAMES)[number], text: string): boolean {
  return name === 'command' ? text.includes('\0') : /\p{Cc}/u.test(text)
}

/** Anyone can write metadata, so what does not fit is left out instead of trusted. */
export function settingsOf(metadata: Metadata): TaskSettings {
  const given = metadata[SETTINGS_KEY]
  const settings: TaskSettings = {}
  if (!isObject(given)) return settings
  for (const field of SETTING_NAMES) {
    const value = given[field]
    if (typeof value !== 'string' || value === '' || hasControls(field, value)) continue
    if (field !== 'cwd' || isAbsolute(value)) settings[field] = value
  }
  return settings
}

/** The top-level keys of both, the later ones winning; of fleet's own key what stands below it, so no setting is lost. */
export function mergedMetadata(current: Metadata, given: Metadata): Metadata {
  const [was, is] = [current[SETTINGS_KEY], given[SETTINGS_KEY]]
  const merged = { ...current, ...given }
  if (!isObject(was) || !isObject(is)) return merged
  return { ...merged, [SETTINGS_KEY]: { ...was, ...is } }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What fleet recorded about the directory itself: of no use for another one. */
const OF_THE_CWD = ['remote', 'folder']

/** An empty string takes a setting away; settings this version does not know are kept. */
export function withSettings(metadata: Metadata, change: TaskSettings): Metadata {
  const given = metadata[SETTINGS_KEY]
  const next: Record<string, unknown> = isObject(given) ? { ...given } : {}
  for (const field of SETTING_NAMES) {
    const value = change[field]
    if (value === undefined) continue
    if (field === 'cwd' && value !== next['cwd']) for (const recorded of OF_THE_CWD) delete next[recorded]
    if (value === '') delete next[field]
    else next[field] = value
  }
  const { [SETTINGS_KEY]: _old, ...rest } = metadata
  return Object.keys(next).length === 0 ? rest : { ...rest, [SETTINGS_KEY]: next }
}
