import type { Run } from './run.ts'

/** Half of what `timeouts.idle` is by default: time enough for a person to look before a stall is called one. */
export const SUSPICIOUS_MS = 5 * 60_000

/** When it last gave a sign. */
export function lastSignOfLife({ figures, startedAt }: Run): number {
  return figures.lastEventAt ?? startedAt
}

/** Silent for long with no tool open. Scripts, which open no session, may be silent for as long as they like. */
export function isSuspicious(run: Run, now: number): boolean {
  const { session, openTool } = run.figures
  // The agent of a run that is checked has gone.
  if (run.phase === 'checking') return false
  return run.endedAt === null && session !== null && openTool === null && now - lastSignOfLife(run) >= SUSPICIOUS_MS
}
