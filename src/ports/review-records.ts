import type { Review } from '../domain/run/review.ts'

/** The decisions of people about the work of runs. */
export interface ReviewRecords {
  add(review: Review): void
  /** A decision that could not be carried out. */
  remove(review: Review): void
  /** Oldest first. */
  of(task: string): readonly Review[]
}
