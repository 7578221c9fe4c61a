import type { Withholds } from '../agent/withholding.ts'
import type { LandAs } from '../landing/plan.ts'
import type { Isolation } from '../run/isolation.ts'
import type { CloseAt } from '../run/judgement.ts'
import type { Limits } from '../run/watchdog.ts'
import type { SandboxPolicy } from '../sandbox/sandbox.ts'
import type { ProjectScope } from '../scope/scope.ts'
import type { TaskSettings } from '../task/settings.ts'
import type { VerifyCommand } from '../verify/verification.ts'
import type { Assignment } from './assignment.ts'
import type { PidNamespace } from './pid-namespace.ts'

/** The configuration as values for the supervisor's decisions, independent of the file. */
export interface Policy {
  readonly maxConcurrent: number
  readonly maxAttempts: number
  readonly permissions: 'full' | 'workspace' | 'settings'
  readonly lean: boolean
  /** The variables that agents do not inherit, `env_pass` taken into account. */
  readonly withholds: Withholds
  readonly pidNamespace: PidNamespace
  readonly limits: Limits
  /** How long a claim lasts without being renewed. */
  readonly lease: number
  assignment(settings: TaskSettings): Assignment
  isolation(settings: TaskSettings): Isolation
  sandbox(settings: TaskSettings): SandboxPolicy
  /** The needs of a new worktree of this directory's project: a command line, and patterns of ignored files. */
  worktree(cwd: string): { readonly setup: string | undefined; readonly include: readonly string[] }
  closeAt(cwd: string | undefined): CloseAt
  /** The commands that work in this directory must pass, and the directory of the project that has them; undefined: none. */
  verify(cwd: string): { readonly path: string; readonly commands: readonly VerifyCommand[] } | undefined
  /** The treatment of work that passes only with its own version of the tests. */
  tamper(cwd: string): 'review' | 'warn' | 'off'
  /** More files that decide whether work passes, as patterns of .gitignore; `!` takes files out. */
  tamperInclude(cwd: string): readonly string[]
  /** More files that the project's tools make again, as patterns of .gitignore; `!` takes files out. */
  byProducts(cwd: string): readonly string[]
  /** Where the tasks of this directory may write, unless a task says so itself. */
  scope(cwd: string | undefined): ProjectScope
  /** How long one of them may take. */
  readonly verifyTimeout: number
  /** A directory's project and the most agents that may work in it; undefined: no limit. */
  projectCap(cwd: string | undefined): { readonly path: string; readonly cap: number } | undefined
  /** The coder that reviews the work in this directory, besides people; undefined: none. */
  reviewBy(cwd: string): string | undefined
  /** A directory's project and how many of its tasks may wait for a review before no more are claimed; undefined: no limit. */
  maxUnreviewed(cwd: string | undefined): UnreviewedLimit | undefined
  /** Whether any project has such a limit. */
  readonly holdsForReviews: boolean
  /** How work of this directory reaches its target branch. */
  landing(cwd: string): LandingPolicy
  /** The user's variables for this coder. */
  coderEnv(coder: string): Readonly<Record<string, string>>
  readonly host: HostPolicy
}

export interface UnreviewedLimit {
  readonly path: string
  readonly most: number
}

export interface LandingPolicy {
  readonly land: 'auto' | 'manual'
  readonly as: LandAs
  /** undefined: the branch of the task's worktree. */
  readonly target: string | undefined
  readonly push: boolean
}

/** The user's settings for this machine. Paths are absolute. */
export interface HostPolicy {
  readonly name: string | undefined
  readonly labels: readonly string[]
  readonly paths: Readonly<Record<string, string>>
  readonly clone: string | undefined
}
