/** Task ids: `<prefix>-<base36>`, 3 characters and growing; children are `<parent>.<n>`. */

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]*-[A-Za-z0-9_]+(\.[0-9]+)*$/
const MAX_ID_LENGTH = 128
const MIN_LENGTH = 3
const MAX_LENGTH = 8
/** The chance of a first-draw collision that makes ids grow by one character. */
const MAX_COLLISION_CHANCE = 0.25

/** An id becomes a directory name under the home, so nothing that could be a path or a flag passes. */
export function isTaskId(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && ID.test(text)
}

export function assertTaskId(text: string): string {
  if (!isTaskId(text)) throw new TypeError(`not a task id: ${JSON.stringify(text)}`)
  return text
}

/** How many base36 characters keep the birthday collision chance low for this many top-level tasks. */
export function idLength(count: number): number {
  for (let length = MIN_LENGTH; length < MAX_LENGTH; length++) {
    const space = 36 ** length
    if (1 - Math.exp((-count * count) / (2 * space)) <= MAX_COLLISION_CHANCE) return length
  }
  return MAX_LENGTH
}

/** Random bytes as base36 of exactly `length` characters. */
export function base36(bytes: Uint8Array, length: number): string {
  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  return number.toString(36).padStart(length, '0').slice(-length)
}

export function childId(parent: string, n: number): string {
  return `${parent}.${n}`
}

/** What an id begins with, up to its first hyphen, as bd tells projects apart; '' for an id without one. */
export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('-') + 1)
}

/** The parent an id names by its own form, or undefined for a top-level id. */
export function parentOf(id: string): string | undefined {
  const dot = id.lastIndexOf('.')
  return dot > id.indexOf('-') && /^[0-9]+$/.test(id.slice(dot + 1)) ? id.slice(0, dot) : undefined
}

/** Sorts as text the way people count: `x.9` before `x.10`, a parent before its children. */
export function naturalKey(id: string): string {
  return id
    .split(/[.-]/)
    .map((part) => (/^\d+$/.test(part) ? part.padStart(12, '0') : part))
    .join('\u0001')
}
