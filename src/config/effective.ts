import { type Key, keyText } from './key.ts'
import type { Loaded } from './load.ts'
import { masked } from './mask.ts'
import { valueAt } from './patch.ts'
import { SETTINGS, type Section } from './schema.ts'

export interface Effective {
  readonly key: string
  /** As in the file, with secrets masked; undefined if not set and without a default. */
  readonly value: unknown
  readonly source: 'given' | 'default'
}

/** Every setting with the value in force. For tables that the user names (projects, coders), only the settings given there. */
export function effectiveSettings(loaded: Pick<Loaded, 'config' | 'given'>): Effective[] {
  const rows: Effective[] = []
  const add = (section: Section, at: Key, onlyGiven: boolean): void => {
    for (const [name, node] of Object.entries(section.members)) {
      const key = [...at, name]
      if (node.node === 'section') add(node, key, onlyGiven)
      else if (node.node === 'each') {
        for (const own of Object.keys(valueAt(loaded.given, key) ?? {})) add(node.section, [...key, own], true)
      } else {
        const given = valueAt(loaded.given, key)
        if (given === undefined && onlyGiven) continue
        const fallback = keyText(key) === 'model' ? loaded.config.model : node.default
        rows.push({
          key: keyText(key),
          value: masked(given ?? fallback),
          source: given === undefined ? 'default' : 'given',
        })
      }
    }
  }
  add(SETTINGS, [], false)
  return rows
}
