/** Task ids: `<prefix>-<base36>`, 3 characters and growing; children are `<parent>.<n>`. */

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]*-[A-Za-z0-9_]+(\.[0-9]+)*$/
const MAX_ID_LENGTH = 128
const MIN_LENGTH = 3
const MAX_LENGTH = 8
/** Ids grow by one character when the chance of a collision on the first draw exceeds this. */
const MAX_COLLISION_CHANCE = 0.25

/** An id becomes a directory name under the home, so anything that could be a path or a flag is refused. */
export function isTaskId(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && ID.test(text)
}

export function assertTaskId(text: string): string {
  if (!isTaskId(text)) throw new TypeError(`not a task id: ${JSON.stringify(text)}`)
  return text
}

/** The number of base36 characters that keeps collisions (birthday problem) unlikely for this many top-level tasks. */
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

/** The part of an id up to its first hyphen, by which bd tells projects apart; '' if there is no hyphen. */
export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('-') + 1)
}

/** The parent id contained in an id, or undefined for a top-level id. */
export function parentOf(id: string): string | undefined {
  const dot = id.lastIndexOf('.')
  return dot > id.indexOf('-') && /^[0-9]+$/.test(id.slice(dot + 1)) ? id.slice(0, dot) : undefined
}

/** A sort key that orders ids as people count: `x.9` before `x.10`, a parent before its children. */
export function naturalKey(id: string): string {
  return id
    .split(/[.-]/)
    .map((part) => (/^\d+$/.test(part) ? part.padStart(12, '0') : part))
    .join('\u0001')
}
