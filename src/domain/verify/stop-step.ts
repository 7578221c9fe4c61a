/** A process that does not die of SIGKILL, as in an uninterruptible wait, holds up nothing for longer. */
export const STUCK_MS = 10_000

/** The next step of a stop that began `ms` ago with SIGTERM. `end`: the group has gone, or will not go. */
export function stopStep({
  isAlive,
  ms,
  graceMs,
}: {
  isAlive: boolean
  ms: number
  graceMs: number
}): 'wait' | 'kill' | 'end' {
  if (!isAlive || ms >= graceMs + STUCK_MS) return 'end'
  return ms >= graceMs ? 'kill' : 'wait'
}
