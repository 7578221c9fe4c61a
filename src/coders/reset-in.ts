const IN = /\bresets? in ((?:\d+(?:\.\d+)?[dhms])+)/i
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }

/** When a limit lifts, from words such as `Resets in 2h18m58s`, counted from when they were seen. */
export function resetIn(text: string, seenAt: number): number | undefined {
  const [, duration] = IN.exec(text) ?? []
  if (duration === undefined) return undefined
  let millis = 0
  for (const [, amount, unit = ''] of duration.matchAll(/([\d.]+)([dhms])/gi)) {
    millis += Number(amount) * (UNITS[unit.toLowerCase()] ?? 0)
  }
  return Number.isSafeInteger(seenAt + Math.round(millis)) ? seenAt + Math.round(millis) : undefined
}
