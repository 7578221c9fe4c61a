/** Durations as people write them: one number and one unit, "500ms", "90s", "10m", "1.5h", "2d". */

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds, or undefined if the text is not a duration. */
export function durationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text)
  if (match === null) return undefined
  return Math.round(Number(match[1]) * UNITS[match[2] as keyof typeof UNITS])
}

/** The shortest exact spelling: 90000 is "90s", 600000 is "10m". */
export function durationText(millis: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (millis !== 0 && millis % UNITS[unit] === 0) return `${millis / UNITS[unit]}${unit}`
  }
  return `${millis}ms`
}
