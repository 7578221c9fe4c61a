import { type ProcessEntry, processTable } from './process-table.ts'

/**
 * Processes that carry no marker: most of a machine are none of fleet's, and to read the environment of each takes as long as
 * the rest of a look at all. A process gets another environment only with another program, which has it elsewhere in its
 * memory; and each is read again after a moment.
 */
export class Unmarked {
  #known = new Map<number, Known>()
  #seen = new Map<number, Known>()

  /** The run that its marker names. */
  markerOf({ pid, startTime, environment }: ProcessEntry, now: number): string | undefined {
    const known = this.#known.get(pid)
    const isFresh = known !== undefined && now - known.readAt < FRESH_MS
    if (isFresh && known.startTime === startTime && known.environment === environment) {
      this.#seen.set(pid, known)
      return undefined
    }
    const run = processTable().marker(pid)
    if (run === undefined && environment !== undefined) this.#seen.set(pid, { startTime, environment, readAt: now })
    return run
  }

  /** After a look at all: those that it has not shown have gone. */
  forgetOthers(): void {
    this.#known = this.#seen
    this.#seen = new Map()
  }
}

interface Known {
  readonly startTime: string
  readonly environment: string
  /** Of the monotonic clock. */
  readonly readAt: number
}

const FRESH_MS = 1000
