import type { Landing } from '../domain/landing/landing.ts'
import type { TrustedPrograms } from '../domain/landing/trust.ts'

export type LandingChange = Pick<Landing, 'state'> & Partial<Pick<Landing, 'bounces'>>

/** The landing queue, in the home's own store. */
export interface LandingRecords {
  /** The landing of a task, also one that is over. */
  of(task: string): Landing | undefined
  /** Those that are not over, oldest first. */
  open(): readonly Landing[]
  /** Takes it into the queue, in the place of the task's earlier one. */
  save(landing: Landing): void
  /** The newest landings that have put a commit on their target, or are about to. */
  landed(limit: number): readonly Landing[]
  /**
   * Writes how a landing stands by now, and nothing else of it. undefined: it is over, or the task has a newer one, and nothing
   * was written.
   */
  advance(landing: Pick<Landing, 'task' | 'run'>, change: LandingChange): Landing | undefined

  /** Before the queue is told that a person accepts the work (domain/landing/accepting.ts). */
  accepting(landing: Landing): void
  /** The queue has confirmed it. */
  accepted(landing: Landing): void
  /** The queue has refused it. */
  notAccepted(landing: Landing): void

  /** Before the first program of a landing starts, until none is left: an agent may have written what it runs. */
  begin(landing: UnderWay): void
  end(task: string): void
  underWay(): readonly UnderWay[]

  /** Whether the programs of any repository are kept. */
  trustsAny(): boolean
  /** The programs of a repository that fleet may run; undefined: no agent has worked there in a worktree. */
  trusted(repository: string): TrustedPrograms | undefined
  trust(repository: string, programs: TrustedPrograms): void
}

/** A landing whose programs may be running: also one that a killed supervisor left so. */
export interface UnderWay {
  readonly task: string
  /** The run whose work it is. */
  readonly run: string
}
