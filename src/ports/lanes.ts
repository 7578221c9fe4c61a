import type { Outcome } from '../domain/run/outcome.ts'

/** The lanes of coders, for work beside runs. The same trouble closes them, and the same trial opens them. */
export interface Lanes {
  take(lane: string): LanePlace | ClosedLane
}

/** Given back when it is disposed of. */
export interface LanePlace extends Disposable {
  /** The model has answered. */
  answered(): void
  /** The account or its provider is in trouble. */
  troubled(trouble: Outcome): void
}

/** Ask again later. */
export interface ClosedLane {
  readonly why: string
  /** Its trouble has lasted for longer than a task waits. */
  readonly isHopeless: boolean
}
