/** How deep JSON from outside may be nested: more is never meant, and writing it out again would exhaust the stack. */
export const DEPTH_LIMIT = 100

/** Level by level, because going down into it is what hostile nesting is made to break. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: object[] = isNest(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((each) => Object.values(each).filter(isNest))
  }
  return false
}

function isNest(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
