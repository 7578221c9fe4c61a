import type { ChangedFile } from '../domain/fleet/home-file.ts'

/** The files of the home that fleet takes in. Agents can write them, so a change made while agents run waits for a person. */
export interface HomeFiles {
  /** Before an agent starts, in the transaction that begins its run: from here on a change may be an agent's. */
  expose(): void
  /** Notes what has changed. Cheap if nothing has. */
  look(): void
  /** No agent is left: from here on a change is a person's. False: a run has begun meanwhile. */
  endExposure(): boolean
  /** Whether an agent can have changed a file at that time. */
  agentsRanAt(time: number): boolean
  /** The changes that were noticed while the run was open. */
  changesDuring(run: string): readonly ChangedFile[]
}
