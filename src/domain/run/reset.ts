const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The longest limits last a week; a provider's clock may be ahead of ours. */
const FARTHEST = 8 * DAY

/**
 * When a limit lifts, if the reported time makes sense. Some report milliseconds where others report seconds, so a time that
 * is a thousand times too late or too early is corrected. undefined: in the past, too far off, or no time at all.
 */
export function trustedReset(resetsAt: number, now: number): number | undefined {
  return [resetsAt, resetsAt / 1000, resetsAt * 1000].find((at) => at > now && at <= now + FARTHEST)
}

const STEPS = [1, 2, 5, 15, 30].map((minutes) => minutes * MINUTE)

/** How long to wait after a time that cannot be trusted: 1, 2, 5, 15, then 30 minutes, by the total wait so far. */
export function mistrustedDelayMs(waitedMs: number): number {
  let total = 0
  for (const step of STEPS) {
    total += step
    if (waitedMs < total) return step
  }
  return 30 * MINUTE
}
