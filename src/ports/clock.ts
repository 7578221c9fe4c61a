/** Milliseconds since 1970, or a duration in milliseconds. */
export type Millis = number

export interface Clock {
  /** The wall clock. It may jump. */
  now(): Millis
}

export interface SupervisorClock extends Clock {
  /** Never goes back. Durations are measured with it. */
  monotonic(): Millis
  /** Never goes back, and counts the time that the machine was suspended. All processes of the machine share it. */
  sinceBoot(): Millis
}
