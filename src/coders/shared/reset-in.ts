const AFTER =
  /\b(?:resets?|retry|retrying|again) (?:in|after) ((?:\d+(?:\.\d+)? ?(?:ms|d(?:ays?)?|h(?:ours?)?|m(?:in(?:utes?)?)?|s(?:ec(?:onds?)?)?),? ?)+)/i
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/**
 * When a limit lifts, from words such as `Resets in 2h18m58s`, `will reset after 53s` or `reset in 5 days 10 hours`,
 * counted from when fleet read them.
 */
export function resetIn(text: string, seenAt: number): number | undefined {
  const [, duration] = AFTER.exec(text) ?? []
  if (duration === undefined) return undefined
  let millis = 0
  for (const [, amount, unit = ''] of duration.matchAll(/([\d.]+) ?(ms|[dhms])[a-z]*/gi)) {
    millis += Number(amount) * (UNITS[unit.toLowerCase()] ?? 0)
  }
  const at = seenAt + Math.round(millis)
  return Number.isSafeInteger(at) ? at : undefined
}
