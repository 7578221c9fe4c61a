import type { Changes } from '../domain/run/changes.ts'
import type { CheckVerdict } from '../domain/run/check-result.ts'
import type { CloseAt } from '../domain/run/judgement.ts'
import type { Run } from '../domain/run/run.ts'
import type { ChangedWork } from './verifier.ts'
import type { Base } from './workspace.ts'

/** One thing that a run must pass after it was judged done, before its task is closed. */
export interface Check {
  /** For the receipt and the log. */
  readonly name: string
  /** Whether there is anything to check. Asked for every run that is done: a run without checks ends at once. */
  appliesTo(subject: Omit<CheckSubject, 'waits'>): boolean
  /**
   * Starts after every process of the agent has gone, and may take minutes: the run holds its slot and its lease
   * meanwhile. When `signal` is aborted, the check ends what it started and returns or throws; its verdict is ignored
   * then. If the reason is LET_GO, it leaves it running: a supervisor that adopts the run starts all checks from the
   * beginning, and each finds what it has done. A throw is a surprise: the check is run again.
   */
  run(subject: CheckSubject, signal: AbortSignal): Promise<CheckVerdict>
}

export interface CheckSubject {
  readonly run: Run
  /** The folder of its attempt. */
  readonly folder: string
  /** The folder of the task's artifacts. */
  readonly artifacts: string
  /** undefined: nobody looked, because the exit alone decides. */
  readonly changes: Changes | undefined
  /** The state before the first of these changes; undefined: it is not known. */
  readonly base: Base | undefined
  /** The work that is checked, of this attempt and of earlier ones that nobody has accepted; undefined: it is not known. */
  readonly work: ChangedWork | undefined
  /** The level that the task has to reach. */
  readonly closeAt: CloseAt
  /** Told why, when the check waits for something and starts nothing, so that the run needs no slot; undefined: it goes on. */
  waits(why: string | undefined): void
  /** The first of the ports of its run; undefined: it has none. */
  readonly portBase: number | undefined
  /** The task's own verify command, as it was when the run began. */
  readonly verify: string | undefined
}
