/** Milliseconds since the epoch. */
export type Millis = number

export interface Clock {
  now(): Millis
}
