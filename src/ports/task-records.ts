import type { SharedRecord } from '../domain/fleet/shared-record.ts'
import type { Claim } from './queue.ts'

/** What travels with the tasks of a queue that machines share. A record goes with its task. */
export interface TaskRecords {
  /** Of those tasks that have one. */
  of(tasks: readonly string[]): Promise<readonly SharedRecord[]>
  /** Those of tasks that are not closed, with a question that nobody has answered; the oldest question first. */
  asking(): Promise<readonly SharedRecord[]>
  /**
   * `decide` is asked on the record as it is, again when somebody else was quicker, and what it answers is written;
   * undefined: nothing is. With a claim, only while that holds its task: who has lost it changes nothing.
   * Answers with what was written.
   */
  change(
    task: string,
    decide: (current: SharedRecord | undefined) => SharedRecord | undefined,
    under?: Claim,
  ): Promise<SharedRecord | undefined>
}
