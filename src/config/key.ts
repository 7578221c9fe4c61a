import { nearest } from '../domain/text/nearest.ts'
import { type Each, SETTINGS, type Section, type Setting } from './schema.ts'

/** The path of a setting in the file, one word per level. */
export type Key = readonly string[]

/** As TOML writes it: `projects."/a/b".coder`. */
export function keyText(key: Key): string {
  return key.map((word) => (/^[A-Za-z0-9_-]+$/.test(word) ? word : JSON.stringify(word))).join('.')
}

/**
 * Parses a key as people type it. A shell removes the quotes of `projects."/a/b".coder`, so a path may also be unquoted: it
 * ends at the last dot. undefined if the text is not a key.
 */
export function parseKey(text: string): Key | undefined {
  const bare = /^projects\.([~/].*)\.([A-Za-z0-9_-]+)$/.exec(text)
  if (bare !== null) return ['projects', bare[1] as string, bare[2] as string]
  const word = /\s*(?:([A-Za-z0-9_-]+)|"((?:[^"\\]|\\.)*)"|'([^']*)')\s*(?:\.|$)/y
  const key: string[] = []
  while (word.lastIndex < text.length) {
    const match = word.exec(text)
    if (match === null) return undefined
    key.push(match[1] ?? match[3] ?? unescaped(match[2] as string))
  }
  return key.length === 0 || text.endsWith('.') || key.includes('__proto__') ? undefined : key
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}

export type Found =
  | { readonly kind: 'setting'; readonly setting: Setting<unknown> }
  /** One variable of an `env` table: `coders.x.env.NAME`. */
  | { readonly kind: 'variable' }
  | { readonly kind: 'section' }
  | { readonly kind: 'unknown'; readonly near: string | undefined }

export function findSetting(key: Key): Found {
  let node: Setting<unknown> | Section | Each = SETTINGS
  for (const [depth, word] of key.entries()) {
    if (node.node === 'setting') {
      const isVariable = depth === key.length - 1 && node.kind.read({}) !== undefined
      return isVariable ? { kind: 'variable' } : { kind: 'unknown', near: keyText(key.slice(0, depth)) }
    }
    if (node.node === 'each') {
      node = node.section
      continue
    }
    const members: Section['members'] = node.members
    const next = Object.hasOwn(members, word) ? members[word] : undefined
    if (next === undefined) return { kind: 'unknown', near: nearestKey(key, depth, Object.keys(members)) }
    node = next
  }
  return node.node === 'setting' ? { kind: 'setting', setting: node } : { kind: 'section' }
}

/** Finds a typo in a word, or the right word in the wrong section (`idle` for `timeouts.idle`). */
function nearestKey(key: Key, depth: number, siblings: readonly string[]): string | undefined {
  const word = key[depth] as string
  const [close] = nearest(word, siblings, 1)
  if (close !== undefined) return keyText([...key.slice(0, depth), close, ...key.slice(depth + 1)])
  const last = key.at(-1) as string
  for (const [name, node] of Object.entries(SETTINGS.members)) {
    if (node.node === 'section' && Object.hasOwn(node.members, last)) return keyText([name, last])
  }
  return Object.hasOwn(SETTINGS.members, last) ? last : undefined
}
