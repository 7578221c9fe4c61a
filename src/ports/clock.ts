/** Milliseconds since 1970, or a duration in milliseconds. */
export type Millis = number

export interface Clock {
  /** The wall clock. It may jump. */
  now(): Millis
}

export interface SupervisorClock extends Clock {
  /** Never goes back. Durations are measured with it. */
  monotonic(): Millis
}
