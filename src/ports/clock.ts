/** Milliseconds since 1970, or a duration in milliseconds. */
export type Millis = number

export interface Clock {
  /** The wall clock. It may jump. */
  now(): Millis
}

export interface SupervisorClock extends Clock {
  /** Never goes back. Durations are measured with it. */
  monotonic(): Millis
  /** The same, but it also counts the time in which the machine was suspended. Absent: it never is. */
  sinceBoot?(): Millis
}
