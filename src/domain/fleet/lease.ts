import type { RunInput } from '../run/run-machine.ts'
import { durationText } from '../text/duration.ts'

/** How often a lease is renewed: some tries in a row may fail before it is in danger. */
export function renewEveryMs(leaseMs: number): number {
  return leaseMs / 6
}

/** From SIGKILL to being sure that nothing of a run is left, on a machine that is busy. */
const KILL_MARGIN_MS = 5000

export interface Lease {
  readonly leaseMs: number
  /** When it may be over: counted from the moment at which it was asked for, so never later than whoever gave it counts. */
  readonly until: number
}

/**
 * What has to become of a run whose lease was not renewed again: it must be gone before the lease is over, because then
 * its task may be somebody else's. It gets its grace, but never more than a quarter of the lease.
 */
export function stopBeforeExpiry({ leaseMs, until }: Lease, graceMs: number, now: number): RunInput | undefined {
  const sure = killMarginMs(leaseMs)
  const left = until - now
  if (left > sure + Math.min(graceMs, leaseMs / 4)) return undefined
  const text = `cut off from the queue for nearly ${durationText(leaseMs)}: its task may go on elsewhere`
  return { kind: 'stop', want: { code: 'cut-off', text }, atOnce: left <= sure }
}

/** What is kept back of a lease, so that what was killed is also gone when it is over. */
export function killMarginMs(leaseMs: number): number {
  return Math.min(KILL_MARGIN_MS, leaseMs / 4)
}

/** Nobody here knows when it was renewed last, as of a run that was adopted: there is time to renew it, and no more. */
export function leaseOfUnknownAge(leaseMs: number, graceMs: number, now: number): Lease {
  return { leaseMs, until: now + killMarginMs(leaseMs) + Math.min(graceMs, leaseMs / 4) + renewEveryMs(leaseMs) }
}
