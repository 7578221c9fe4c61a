import { isObject } from '../domain/task/settings.ts'
import { check, type Raw } from './check.ts'
import { type Key, keyText } from './key.ts'
import { available } from './not-yet.ts'
import { type Change, changed, valueAt } from './patch.ts'
import { shown } from './problem.ts'

/** The settings of a runtime.toml that the Python fleet used, as settings of this one. Pure. */
export interface Converted {
  readonly changes: readonly Change[]
  /** Settings that mean the same here. */
  readonly kept: readonly string[]
  /** `retry_limit = 3 is now max_attempts = 3` */
  readonly taken: readonly string[]
  /** Settings that this fleet does not have, and what does the job instead. */
  readonly dropped: readonly string[]
  /** Settings whose values this fleet does not accept, as they were in the file, and why. */
  readonly refused: readonly string[]
}

interface Rule {
  /** A key, or the beginning of several with `*`. */
  readonly key: string
  /** The setting it becomes; undefined: this value becomes none. */
  becomes?(value: unknown, file: Raw): { readonly key: Key; readonly value: unknown } | undefined
  /** For a value that becomes no setting. */
  readonly instead: string
}

const RULES: readonly Rule[] = [
  {
    key: 'retry_limit',
    becomes: (value) => (isCount(value) ? { key: ['max_attempts'], value: Math.max(1, value) } : undefined),
    instead: 'max_attempts',
  },
  {
    key: 'context_kill_pct',
    becomes: (value) => (isCount(value) ? { key: ['context_pressure_threshold_pct'], value } : undefined),
    instead: 'context_pressure_threshold_pct',
  },
  {
    key: 'max_attempt_minutes',
    becomes: (value) => minutes('wall', value),
    instead: 'timeouts.wall',
  },
  {
    key: 'stall_warning_minutes',
    becomes: (value, file) => (file['stall_action'] === 'kill' ? minutes('idle', value) : undefined),
    instead: 'fleet tasks marks a silent agent; timeouts.idle stops one',
  },
  { key: 'stall_action', instead: 'timeouts.idle: an agent that is silent for longer is stopped and resumed' },
  { key: 'max_concurrent_overrides', instead: 'max_concurrent counts the agents of all coders' },
  { key: 'context_windows', instead: 'coders.<name>.context_window, where the coder itself does not report one' },
  { key: 'context_checkpoint_pct', instead: 'context_pressure_threshold_pct ends a full session and hands it over' },
  { key: 'isolation_exclude', instead: 'projects.<path>.isolation = shared' },
  { key: 'post_merge_command', instead: 'projects.<path>.verify: it is run on the merged tree before work lands' },
  { key: 'compaction_*', instead: 'a full session is handed over by its plan and knowledge files' },
  { key: 'continue_pack_max_bytes', instead: 'a session is resumed, or handed over by its plan and knowledge files' },
  { key: 'state_max_bytes', instead: 'a session is resumed, or handed over by its plan and knowledge files' },
  { key: 'telegram_*', instead: 'fleet questions and fleet answer' },
  { key: 'opencode_*', instead: "opencode's own configuration, and coders.opencode" },
  { key: 'ollama_*', instead: "opencode's own configuration, and coders.opencode" },
  { key: 'triage_*', instead: 'fleet tasks shows blocked tasks and why; fleet retry starts one again' },
  { key: 'helper_*', instead: 'fleet tasks shows blocked tasks and why; fleet retry starts one again' },
  {
    key: 'gc_*',
    instead: 'retention.remove_after and fleet gc: raw output of old attempts goes, tasks and receipts stay',
  },
  { key: 'observer_*', instead: 'dependencies between tasks: fleet bd dep add' },
  { key: 'job_*', instead: 'dependencies between tasks: fleet bd dep add' },
  { key: 'serve_*', instead: 'fleet tasks --watch; there is no web page' },
  { key: 'claim_enabled', instead: 'fleet pause and fleet resume' },
  { key: 'flows_folders', instead: 'dependencies between tasks: fleet bd dep add' },
]

/** How often a dropped setting may uncover another problem. */
const ROUNDS = 5

export function convertPythonSettings(given: Raw, fileCoders: readonly string[]): Converted {
  let changes: Change[] = []
  const dropped: string[] = []
  const refused: string[] = []
  /** By the key of the setting that it became. */
  const taken = new Map<string, { readonly from: string; readonly line: string }>()
  let file = given
  const apply = (change: Change): void => {
    changes.push(change)
    file = changed(file, change)
  }
  const written = (key: Key): string => `${keyText(key)} = ${shown(valueAt(given, key))}`
  const refuse = (key: Key, why: string): void => {
    refused.push(`${written(key)}: ${why}`)
    apply({ key, value: undefined })
  }
  /** Reports the setting that the person wrote, and leaves no trace of the one it would have become. */
  const takeBack = (key: Key, from: string, what: string): void => {
    const name = keyText(key)
    taken.delete(name)
    refused.push(`${written([from])}: ${name} ${what}`)
    changes = changes.filter((change) => keyText(change.key) !== name)
    file = changed(file, { key, value: undefined })
  }
  for (const [name, value] of Object.entries(given)) {
    const rule = RULES.find((each) => fits(each.key, name))
    if (rule === undefined) continue
    const becomes = rule.becomes?.(value, given)
    apply({ key: [name], value: undefined })
    // A setting of this fleet that the file already has wins.
    if (becomes === undefined || valueAt(given, becomes.key) !== undefined) {
      dropped.push(`${written([name])}: ${rule.instead}`)
      continue
    }
    const table = becomes.key.slice(0, -1)
    const there = table.length === 0 ? undefined : valueAt(file, table)
    // Otherwise the new table would replace it without a word.
    if (there !== undefined && !isObject(there)) {
      refuse(table, `it is ${shown(there)}, expected a table [${keyText(table)}]`)
    }
    apply(becomes)
    const key = keyText(becomes.key)
    taken.set(key, { from: name, line: `${written([name])} is now ${key} = ${shown(becomes.value)}` })
  }
  for (let round = 0; round < ROUNDS; round++) {
    const checked = check(file, fileCoders)
    if ('config' in checked) break
    for (const { key, what } of checked.problems) {
      const source = taken.get(keyText(key))
      if (source !== undefined) takeBack(key, source.from, what)
      else if (valueAt(file, key) !== undefined) refuse(key, `it ${what}`)
      // A model belongs to its coder.
      if (keyText(key) === 'coder' && file['model'] !== undefined) refuse(['model'], 'the model of that coder')
    }
  }
  const removed = new Set(changes.filter(({ value }) => value === undefined).map(({ key }) => keyText(key)))
  const kept = Object.keys(available(file).rest).filter((name) => Object.hasOwn(given, name) && !removed.has(name))
  return { changes, kept, taken: [...taken.values()].map(({ line }) => line), dropped, refused }
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function minutes(timeout: string, value: unknown): { key: Key; value: string } | undefined {
  if (typeof value !== 'number' || value < 0) return undefined
  return { key: ['timeouts', timeout], value: value === 0 && timeout === 'wall' ? 'none' : `${value}m` }
}
