import type { Proc } from '../domain/run/run.ts'
import type { Millis } from './clock.ts'

/**
 * A process beside the supervisor that ends the agents of a shared queue before their leases expire, unless it hears in time
 * that they were renewed. So it also works when the supervisor is dead, stopped or hung. Times are of `sinceBoot`.
 */
export interface DeadMan {
  /** Resolves when the switch knows the run: only then may it start. Rejects with AppError if there is no switch. */
  guard(run: GuardedRun): Promise<void>
  /** It has started: its process is known now. */
  started(run: GuardedRun): void
  /** Nothing of it is left. */
  ended(run: string): void
  /** All runs there are, with their new times. The switch forgets others. */
  replace(runs: readonly GuardedRun[]): void
  /** Ends the switches that earlier supervisors of this home left: their runs are guarded by this one now. */
  endEarlier(): void
}

export interface GuardedRun {
  readonly run: string
  /** The attempt's folder. */
  readonly folder: string
  /** null: not started yet, or it is not known. */
  readonly proc: Proc | null
  /** Its processes as the supervisor last saw them, where nothing else keeps track of them. */
  readonly family?: string | undefined
  readonly leaseMs: Millis
  /** SIGTERM, and from here on it cannot start any more. */
  readonly terminateAt: Millis
  /** SIGKILL, until nothing of it is left. */
  readonly killAt: Millis
}

/** The file in an attempt's folder that the switch writes before it sends the first signal: JSON with `run` and `at`. */
export const SWITCH_RECORD = 'ended-by-switch.json'
