import {
  CONFIGURATION,
  CUSTOM_TYPES,
  configurationKey,
  LINT_SECTIONS,
  parseTypes,
} from '../../domain/queue/bd-configuration.ts'
import { KV_PREFIX } from '../../domain/queue/value-keys.ts'
import { TASK_TYPES } from '../../domain/task/task.ts'
import { readText } from '../../platform/files/files.ts'
import type { QueueValues } from '../../ports/queue-values.ts'

export interface ValuesToMove {
  readonly values: Readonly<Record<string, string>>
  /** The keys that mean nothing in another queue, for people to read. */
  readonly leftBehind: readonly string[]
}

/** The named texts that another queue can hold: memories, key-value pairs, and the configuration that fleet knows. */
export async function valuesToMove(store: Pick<QueueValues, 'list' | 'get'>, beads: string): Promise<ValuesToMove> {
  const all = new Map(await store.list(''))
  const files = ['config.yaml', 'config.local.yaml'].map((name) => readText(`${beads}/${name}`) ?? '')
  for (const key of keysInFile(files.join('\n'), parseTypes(all.get(CUSTOM_TYPES) ?? ''))) {
    const value = all.has(key) ? undefined : await store.get(key)
    if (value !== undefined) all.set(key, value)
  }
  const kept = [...all].filter(([key]) => key.startsWith(KV_PREFIX) || configurationKey(key) !== undefined)
  const values = Object.fromEntries(kept)
  const left = [...all.keys()].filter((key) => !Object.hasOwn(values, key) && !isOfDatabase(key))
  return { values, leftBehind: left.map((key) => `${key} of bd's configuration`) }
}

/**
 * The keys to ask bd for because its file may set them: no list shows those, and asking for all would be many calls. bd
 * answers with its default for a key that is not set, so a key whose last word the file does not contain is not asked for.
 */
function keysInFile(file: string, customTypes: readonly string[]): readonly string[] {
  const set = file.split('\n').filter((line) => !line.trimStart().startsWith('#'))
  const types = [...new Set([...TASK_TYPES, ...customTypes])]
  const keys = CONFIGURATION.flatMap(({ name, prefix }) => {
    if (prefix !== true) return [name]
    return name === LINT_SECTIONS ? types.map((type) => `${name}${type}`) : []
  })
  return keys.filter((key) => {
    const word = key.slice(key.lastIndexOf('.') + 1)
    return set.some((line) => line.includes(`${word}:`) || line.includes(`${word}":`) || line.includes(`${word}':`))
  })
}

/** bd writes some keys into each new database: the prefix of its ids, the settings of its compaction. */
function isOfDatabase(key: string): boolean {
  return !key.includes('.')
}
