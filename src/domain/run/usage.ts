import { USAGE_FIELDS, type Usage } from './event.ts'

/** Field by field. A field unknown in both stays unknown, which is not zero. */
export function plus(one: Usage, other: Usage): Usage {
  const sum: { -readonly [field in keyof Usage]: Usage[field] } = {}
  for (const field of USAGE_FIELDS) {
    const a = one[field]
    const b = other[field]
    if (a !== undefined || b !== undefined) sum[field] = (a ?? 0) + (b ?? 0)
  }
  return sum
}

/** The inverse of `plus`. */
export function minus(sum: Usage, part: Usage): Usage {
  const rest: { -readonly [field in keyof Usage]: Usage[field] } = {}
  for (const field of USAGE_FIELDS) {
    const whole = sum[field]
    if (whole !== undefined) rest[field] = whole - (part[field] ?? 0)
  }
  return rest
}

/** How much a total has grown since `earlier`. */
export function growthSince(total: Usage, earlier: Usage): Usage {
  const grown: { -readonly [field in keyof Usage]: Usage[field] } = {}
  for (const field of USAGE_FIELDS) {
    const whole = total[field]
    if (whole !== undefined) grown[field] = Math.max(0, whole - (earlier[field] ?? 0))
  }
  return grown
}

/** Field by field. */
export function maximum(one: Usage, other: Usage): Usage {
  const most: { -readonly [field in keyof Usage]: Usage[field] } = {}
  for (const field of USAGE_FIELDS) {
    const a = one[field]
    const b = other[field]
    if (a !== undefined || b !== undefined) most[field] = Math.max(a ?? 0, b ?? 0)
  }
  return most
}

export function isZero(usage: Usage): boolean {
  return USAGE_FIELDS.every((field) => (usage[field] ?? 0) === 0)
}

export function isSame(one: Usage, other: Usage): boolean {
  return USAGE_FIELDS.every((field) => one[field] === other[field])
}

/** The tokens the model had to read: the size of the context at that message. undefined if nothing is reported. */
export function promptTokens({ input, cacheRead, cacheWrite }: Usage): number | undefined {
  if (input === undefined && cacheRead === undefined && cacheWrite === undefined) return undefined
  return (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0)
}
