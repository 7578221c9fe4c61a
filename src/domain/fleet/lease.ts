import type { Outcome } from '../run/outcome.ts'
import type { StopInput } from '../run/run-machine.ts'
import { durationText } from '../text/duration.ts'

/** Six renewals per lease, so that several in a row may fail before the lease is in danger. */
export function renewEveryMs(leaseMs: number): number {
  return leaseMs / 6
}

/** The time from SIGKILL until no process of a run is left, even on a busy machine. */
const KILL_MARGIN_MS = 5000

export interface Lease {
  readonly leaseMs: number
  /** When it may expire. Counted from the request, so it is never later than the queue's own expiry. */
  readonly until: number
}

/**
 * Stops a run whose lease could not be renewed. Its processes must be gone before the lease expires, because then another
 * machine may claim the task. The run gets its grace period, but at most a quarter of the lease.
 */
export function stopBeforeExpiry({ leaseMs, until }: Lease, graceMs: number, now: number): StopInput | undefined {
  const margin = killMarginMs(leaseMs)
  const left = until - now
  if (left > margin + Math.min(graceMs, leaseMs / 4)) return undefined
  const text = `cut off from the queue for nearly ${durationText(leaseMs)}: another machine may take its task`
  return { kind: 'stop', want: { code: 'cut-off', text }, atOnce: left <= margin }
}

/** The end of a lease that is reserved for SIGKILL to take effect. */
export function killMarginMs(leaseMs: number): number {
  return Math.min(KILL_MARGIN_MS, leaseMs / 4)
}

/** How much later than the supervisor the switch asks an agent to end: a healthy supervisor does it itself. */
const SWITCH_LAG_MS = 1500

/** When a dead man's switch ends a run whose lease nobody renews: while it lasts, and with the same grace at most. */
export function switchTimes(
  { leaseMs, until }: Lease,
  graceMs: number,
): { readonly terminateAt: number; readonly killAt: number } {
  const grace = Math.min(graceMs, leaseMs / 4)
  const killAt = until - killMarginMs(leaseMs)
  return { killAt, terminateAt: killAt - grace + Math.min(SWITCH_LAG_MS, grace / 2) }
}

/** The outcome of a run that the switch ended. */
export function endedBySwitch(leaseMs: number): Outcome {
  const text = `its supervisor was dead, stopped or hung for nearly ${durationText(leaseMs)}, so the dead man's switch ended it: another machine may take its task`
  return { code: 'cut-off', text }
}

/** Never lengthens a lease: when it is not known how much time has passed, it lasts until it can be renewed, at most. */
export function shortened(lease: Lease, graceMs: number, now: number): Lease {
  const { until } = leaseOfUnknownAge(lease.leaseMs, graceMs, now)
  return until < lease.until ? { ...lease, until } : lease
}

/** For an adopted run, whose last renewal is unknown: leaves just enough time to renew the lease. */
export function leaseOfUnknownAge(leaseMs: number, graceMs: number, now: number): Lease {
  return { leaseMs, until: now + killMarginMs(leaseMs) + Math.min(graceMs, leaseMs / 4) + renewEveryMs(leaseMs) }
}
