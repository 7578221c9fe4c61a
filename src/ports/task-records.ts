import type { SharedRecord } from '../domain/fleet/shared-record.ts'
import type { Claim } from './queue.ts'

/** The shared records of the tasks of a queue that machines share. A record is deleted with its task. */
export interface TaskRecords {
  /** The records of those tasks that have one. */
  of(tasks: readonly string[]): Promise<readonly SharedRecord[]>
  /** The records of tasks that are not closed and have an open question; the oldest question first. */
  asking(): Promise<readonly SharedRecord[]>
  /**
   * Writes what `decide` makes of the current record, and returns it; undefined: nothing is written. `decide` is called again
   * if another writer was quicker. `under`: only while that claim holds, so a machine that has lost the task changes nothing.
   */
  change(
    task: string,
    decide: (current: SharedRecord | undefined) => SharedRecord | undefined,
    under?: Claim,
  ): Promise<SharedRecord | undefined>
}
