import type { Review } from '../domain/run/review.ts'
import type { Run } from '../domain/run/run.ts'

/** The decisions of people about the work of runs. */
export interface ReviewRecords {
  add(review: Review): void
  /** A decision that could not be carried out. */
  remove(review: Review): void
  /** A person's decision gives an ended run another outcome, and its task another next step. */
  amendEnd(run: string, end: Pick<Run, 'outcome' | 'next'>): void
  /** Oldest first. */
  of(task: string): readonly Review[]
}
