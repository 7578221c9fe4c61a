import type { Changes } from '../domain/run/changes.ts'
import type { CheckVerdict } from '../domain/run/check-result.ts'
import type { Run } from '../domain/run/run.ts'

/** One thing that a run must pass after it was judged done, before its task is closed. */
export interface Check {
  /** For the receipt and the log. */
  readonly name: string
  /**
   * Starts after every process of the agent has gone, and may take minutes: the run holds its slot and its lease
   * meanwhile. When `signal` is aborted, the check ends what it started and returns or throws; its verdict is ignored
   * then. A supervisor that adopts the run starts all checks from the beginning. A throw is a surprise: the check is
   * run again.
   */
  run(subject: CheckSubject, signal: AbortSignal): Promise<CheckVerdict>
}

export interface CheckSubject {
  readonly run: Run
  /** The folder of its attempt. */
  readonly folder: string
  /** undefined: nobody looked, because the exit alone decides. */
  readonly changes: Changes | undefined
}
