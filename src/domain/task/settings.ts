import { isAbsolute } from 'node:path'
import { askedEvidence } from '../evidence/asked.ts'
import { isIsolation } from '../run/isolation.ts'
import { closeAtOf } from '../run/judgement.ts'
import { isSandboxMode } from '../sandbox/sandbox.ts'
import { patternProblem, patternsOf } from '../scope/scope.ts'
import type { Metadata } from './task.ts'

/**
 * The user's settings for one task. They live in the task's metadata under the key `fleet`, so they are written in the
 * same statement as the task, are part of exports and imports, and survive a round trip through a beads database.
 */
export interface TaskSettings {
  cwd?: string
  coder?: string
  model?: string
  /** The script for a coder that runs scripts. Without it, the description is the script. */
  command?: string
  /** The machine that must run it: a name or a label. */
  on?: string
  /** `shared`: it runs in its directory; `worktree`: in a checkout of its own. */
  isolation?: string
  /** The branch that its work is for. */
  target?: string
  /** The command that its work must pass, in place of the project's. */
  verify?: string
  /** The level that it must reach before it is closed. */
  close_at?: string
  /** Where its work will be: `path:<path>`, `branch`, `pr` or `none`. */
  evidence?: string
  /** Whether its agent is confined: `off`, `preferred` or `required`. */
  sandbox?: string
  /** The names of its locks, separated by commas: no two running tasks have one in common. */
  lock?: string
  /** Patterns of the paths that it may write, separated by commas, in place of the project's. */
  scope?: string
  /** `true`: it may write nothing of the project; `false`: it may, whatever the project says. */
  read_only?: string
}

export const SETTINGS_KEY = 'fleet'
export const SETTING_NAMES = [
  'cwd',
  'coder',
  'model',
  'command',
  'on',
  'isolation',
  'target',
  'verify',
  'close_at',
  'evidence',
  'lock',
  'scope',
  'read_only',
  'sandbox',
] as const

/**
 * Whether a setting contains forbidden control characters. Most settings end up in one line of output or in a program's
 * arguments, so line breaks are forbidden too. A script may have line breaks; only a NUL would truncate it.
 */
export function hasControls(name: (typeof SETTING_NAMES)[number], text: string): boolean {
  return name === 'command' ? text.includes('\0') : /\p{Cc}/u.test(text)
}

/** The Python fleet keeps these settings as keys of their own. fleet reads them, and writes under its own key. */
const PYTHON_KEYS: Readonly<Partial<Record<(typeof SETTING_NAMES)[number], string>>> = {
  cwd: 'fleet_cwd',
  coder: 'fleet_coder',
  model: 'fleet_model',
  isolation: 'fleet_isolation',
}

/** Whether the metadata chooses where or by whom a task is done. */
export function hasSettings(metadata: Metadata): boolean {
  return [SETTINGS_KEY, ...Object.values(PYTHON_KEYS)].some((key) => metadata[key] !== undefined)
}

/** Anyone can write metadata, so invalid values are dropped. */
export function settingsOf(metadata: Metadata): TaskSettings {
  const own = metadata[SETTINGS_KEY]
  const given = isObject(own) ? own : {}
  const settings: TaskSettings = {}
  for (const field of SETTING_NAMES) {
    const pythonKey = PYTHON_KEYS[field]
    const value = given[field] ?? (pythonKey === undefined ? undefined : metadata[pythonKey])
    if (typeof value !== 'string' || value === '' || hasControls(field, value)) continue
    if (isValid[field]?.(value) !== false) settings[field] = value
  }
  return settings
}

const isValid: Partial<Record<(typeof SETTING_NAMES)[number], (value: string) => boolean>> = {
  cwd: isAbsolute,
  isolation: isIsolation,
  close_at: (value) => closeAtOf(value) !== undefined,
  evidence: (value) => askedEvidence(value) !== undefined,
  lock: isLockList,
  scope: isScope,
  read_only: isSwitch,
  sandbox: isSandboxMode,
}

/** Names that can be told in one line, and one of them at least. */
export function isLockList(text: string): boolean {
  return /^\s*[^\s,]+(\s*,\s*[^\s,]+)*\s*$/u.test(text)
}

/** Patterns, each of which stays in the project. */
export function isScope(value: string): boolean {
  const patterns = patternsOf(value)
  return patterns.length > 0 && patterns.every((pattern) => patternProblem(pattern) === undefined)
}

export function isSwitch(value: string): boolean {
  return value === 'true' || value === 'false'
}

/** The flag of `fleet bd create` and `update` for a setting: `--close-at`. */
export function flagOf(name: (typeof SETTING_NAMES)[number]): string {
  return name.replace('_', '-')
}

/** Merges the top-level keys; `given` wins. fleet's own key is merged one level deeper, so that no setting is lost. */
export function mergedMetadata(current: Metadata, given: Metadata): Metadata {
  const [was, is] = [current[SETTINGS_KEY], given[SETTINGS_KEY]]
  const merged = { ...current, ...given }
  if (!isObject(was) || !isObject(is)) return merged
  return { ...merged, [SETTINGS_KEY]: { ...was, ...is } }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Recorded by fleet about the directory; invalid for any other directory. */
const RECORDED_FOR_CWD = ['remote', 'folder', 'branch']

/** An empty string removes a setting; settings this version does not know are kept. */
export function withSettings(metadata: Metadata, change: TaskSettings): Metadata {
  const given = metadata[SETTINGS_KEY]
  const next: Record<string, unknown> = isObject(given) ? { ...given } : {}
  for (const field of SETTING_NAMES) {
    const value = change[field]
    if (value === undefined) continue
    if (field === 'cwd' && value !== next['cwd']) for (const recorded of RECORDED_FOR_CWD) delete next[recorded]
    if (value === '') delete next[field]
    else next[field] = value
  }
  const { [SETTINGS_KEY]: _old, ...rest }: Record<string, unknown> = metadata
  for (const field of SETTING_NAMES) {
    const pythonKey = PYTHON_KEYS[field]
    if (change[field] !== undefined && pythonKey !== undefined) delete rest[pythonKey]
  }
  return Object.keys(next).length === 0 ? rest : { ...rest, [SETTINGS_KEY]: next }
}
