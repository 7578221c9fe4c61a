import type { Guarded } from '../domain/verify/tamper.ts'
import type { TestCounts } from '../domain/verify/test-counts.ts'
import type { CommandTry, VerifyVerdict } from '../domain/verify/verification.ts'
import type { Base } from './workspace.ts'

/**
 * Runs a project's own commands in a tree, as agents are run: each detached, in its own process group, under the recording
 * wrapper, its output in a file. So a command outlives its supervisor: the next one asks for the same verification again, and
 * goes on with what runs and what has ended.
 */
export interface Verifier {
  /** Whether there is anything to run. Asked for every run that is done, so it is cheap. */
  hasCommands(what: Pick<VerifyOrder, 'project' | 'command'>): boolean
  /** Changes with what would be run. */
  keyOf(what: Pick<VerifyOrder, 'project' | 'command'>): string
  /**
   * Never starts while a process of the agent is left. When `signal` is aborted it ends what it started and throws; if the
   * reason is LET_GO, it leaves the command running for the next supervisor. Any other throw is trouble of the machine, and
   * the caller asks again.
   */
  verify(order: VerifyOrder, signal: AbortSignal): Promise<Verification>
  /** Ends a command that an earlier supervisor left running under this name: nobody waits for its verdict any more. */
  end(subject: string): Promise<void>
  /** The tries under this name count no more: a verification that gave no verdict can be asked for again. */
  forget(subject: string): void
  /**
   * Verifies work that has passed once more, in a throw-away copy, with the base version of the changed files that decide
   * whether it passes: tests, CI, the commands' own scripts and their configuration. As `verify` otherwise.
   */
  verifyWithBase(order: VerifyOrder, work: ChangedWork, signal: AbortSignal): Promise<BaseVerification>
  /** How many tests the work has taken away, in the files that it changed and in `more` of them. */
  lostTests(work: ChangedWork, more: readonly string[]): Promise<TestCounts>
}

export interface ChangedWork {
  /** The attempts whose work nobody has accepted, in their order; the last is the one that is verified. */
  readonly attempts: readonly AttemptWork[]
  /** Changes that are traced to other runs. */
  readonly others: readonly string[]
}

export interface AttemptWork {
  /** The state before it. */
  readonly base: Base
  /** When it began; the base may know better. */
  readonly since: number
  /** The changes that were found, weak and untraced ones included, below the top folder or the directory. */
  readonly changed: readonly string[]
}

export type BaseVerification =
  /** No such file was changed. */
  | { readonly kind: 'untouched' }
  | {
      /** `only-own`: not with the base version. `unclear`: that could not be found out. */
      readonly kind: 'passed' | 'only-own' | 'unclear'
      readonly files: readonly Guarded[]
      readonly commands: readonly CommandTry[]
      /** Why it is unclear; '' otherwise. */
      readonly why: string
    }

export interface VerifyOrder {
  /** Names the verification: the id of a run, or of a landing. Tries that were made under this name count. */
  readonly subject: string
  readonly task: string
  /** The folder for the files of its commands; each gets its own below it. */
  readonly folder: string
  /** Where the task works in the tree that is verified. */
  readonly cwd: string
  /** The task's own directory, whose configuration applies. */
  readonly project: string
  /** The task's own command, in place of the project's. */
  readonly command?: string | undefined
  /** The first of the ports of its run, which nobody else uses; absent: it has none. */
  readonly portBase?: number | undefined
  /** The id of the tree, where the caller made the directory itself and nothing else is in it; absent: the verifier looks. */
  readonly tree?: string
  /** The top folder of the tree; absent: that of its checkout. */
  readonly top?: string
  /** Whether the work changed this file: then a command that is missing is the agent's doing, not the user's. */
  readonly changed?: (path: string) => boolean
}

export type Verification =
  | {
      readonly kind: VerifyVerdict
      /** The same commands passed on the same tree before, and were not run again. */
      readonly known?: true
      readonly commands: readonly CommandTry[]
      /** One sentence; '' for a pass. */
      readonly text: string
    }
  /** There is no command to run. */
  | { readonly kind: 'none' }
  /** A command that cannot be run at all: the user's mistake, with the setting to fix. */
  | { readonly kind: 'unusable'; readonly text: string; readonly commands: readonly CommandTry[] }

/** The reason of an abort that ends the supervisor and nothing else. */
export const LET_GO = 'let-go'
