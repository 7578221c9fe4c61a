/** How bd names what it keeps beside the issues. Memories are key-value pairs with a prefix of their own. */
export const KV_PREFIX = 'kv.'
export const MEMORY_PREFIX = `${KV_PREFIX}memory.`

const KEY_WORDS = 8
const KEY_LENGTH = 60

/**
 * The key of a memory that was given none: its first words, as bd makes it, so that the same insight replaces itself. '' if
 * there is no letter or digit to make one of.
 */
export function memoryKeyOf(insight: string): string {
  const words = insight
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .split('-')
    .slice(0, KEY_WORDS)
    .join('-')
  return words.length <= KEY_LENGTH ? words : words.slice(0, KEY_LENGTH).replace(/-+$/, '')
}

const RESERVED = ['sync.', 'conflict.', 'federation.', 'jira.', 'linear.', 'export.', 'import.']

/** Why a key cannot be used for a key-value pair, in bd's words; undefined: it can. */
export function kvKeyProblem(key: string): string | undefined {
  if (key === '') return 'key cannot be empty'
  if (key.trim() === '') return 'key cannot be only whitespace'
  if (key.startsWith(KV_PREFIX)) return "key cannot start with 'kv.' (would create nested prefix)"
  if (key.startsWith('memory.')) {
    return `key cannot start with "memory." (reserved for persistent memories; use 'bd remember' / 'bd forget')`
  }
  const reserved = RESERVED.find((prefix) => key.startsWith(prefix))
  return reserved === undefined ? undefined : `key cannot start with reserved prefix ${JSON.stringify(reserved)}`
}
