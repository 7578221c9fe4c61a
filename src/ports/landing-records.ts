import type { Landing } from '../domain/landing/landing.ts'
import type { TrustedPrograms } from '../domain/landing/trust.ts'

/** The landing queue, in the home's own store. */
export interface LandingRecords {
  /** The landing of a task, also one that is over. */
  of(task: string): Landing | undefined
  /** Those that are not over, oldest first. */
  open(): readonly Landing[]
  save(landing: Landing): void

  /** The programs of a repository that fleet may run; undefined: no agent has worked there in a worktree. */
  trusted(repository: string): TrustedPrograms | undefined
  trust(repository: string, programs: TrustedPrograms): void
}
