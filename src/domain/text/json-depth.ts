/** The deepest nesting fleet accepts in JSON from outside. Serializing deeper nesting again would exhaust the stack. */
export const DEPTH_LIMIT = 100

/** Walks level by level: recursion is what hostile nesting is built to break. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: object[] = isContainer(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((each) => Object.values(each).filter(isContainer))
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
