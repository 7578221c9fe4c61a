import type { Run } from './run.ts'

/** Half of the default `timeouts.idle`, so that a person has time to look before the run is stopped as stalled. */
export const SUSPICIOUS_MS = 5 * 60_000

export function lastSignOfLife({ figures, startedAt }: Run): number {
  return figures.lastEventAt ?? startedAt
}

/** Long silence without a sign of work. Scripts, which have no session, may stay silent. */
export function isSuspicious(run: Run, now: number): boolean {
  const { session, openTool, silence } = run.figures
  // The agent of a run that is checked has gone.
  if (run.phase === 'checking' || run.endedAt !== null || now - lastSignOfLife(run) < SUSPICIOUS_MS) return false
  return silence === null ? session !== null && openTool === null : silence.verdict !== 'working'
}
