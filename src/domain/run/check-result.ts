import type { GuardedFindings } from '../verify/guarded-text.ts'
import type { CommandTry } from '../verify/verification.ts'
import type { Usage } from './event.ts'
import { type CloseAt, isAtLeast, type Level } from './judgement.ts'
import type { Outcome } from './outcome.ts'

/** The result of one check of a run that was judged done. */
export type CheckVerdict = (
  | {
      readonly kind: 'passed'
      /** The level of work that has evidence and passed. Absent: the check proves nothing of that kind. */
      readonly proves?: Level
    }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
  /** Nothing is wrong, but only a person can say that the task is done. */
  | { readonly kind: 'needs-person'; readonly text: string }
  /** There was nothing that it could check. */
  | { readonly kind: 'skipped'; readonly text: string }
) &
  CheckFindings

/** For the receipt. */
export interface CheckFindings {
  /** The commands that it ran, in order. */
  readonly commands?: readonly CommandTry[]
  /** They passed before, on the same tree, and were not run again. */
  readonly known?: true
  /** It changed files that decide whether it passes; absent: it did not, or nobody looked. */
  readonly guarded?: GuardedFindings
  /** Of its own coder; absent: it has none. */
  readonly usage?: CheckUsage
  /** Sentences for a person. */
  readonly warnings?: readonly string[]
}

export interface CheckUsage {
  readonly usage: Usage
  /** null: it is not known. */
  readonly costUsd: number | null
  readonly estimated: boolean
}

export interface CheckResult {
  /** Of the check. */
  readonly name: string
  readonly verdict: CheckVerdict
}

export interface Checked {
  readonly outcome: Outcome
  readonly level: Level
}

/** A failed check decides; after it, one that needs a person; then the level that the task has to reach. */
export function afterChecks({ outcome, level }: Checked, results: readonly CheckResult[], closeAt: CloseAt): Checked {
  const reached = levelAfter(level, results)
  const verdicts = results.map(({ verdict }) => verdict)
  const failed = verdicts.find((each) => each.kind === 'failed')
  if (failed !== undefined) return { outcome: failed.outcome, level: reached }
  const needing = verdicts.find((each) => each.kind === 'needs-person')
  if (needing !== undefined) return { outcome: { code: 'needs-review', text: needing.text }, level: reached }
  if (outcome.code !== 'done' || isAtLeast(reached, closeAt)) return { outcome, level: reached }
  return { outcome: { code: 'needs-review', text: `done and ${reached}; ${closeAt} is asked for` }, level: reached }
}

/** A check proves more about work that has evidence, and nothing about a mere claim. */
function levelAfter(level: Level, results: readonly CheckResult[]): Level {
  if (!isAtLeast(level, 'evidenced')) return level
  return results.reduce<Level>((reached, { verdict }) => {
    const proven = verdict.kind === 'passed' ? verdict.proves : undefined
    return proven !== undefined && isAtLeast(proven, reached) ? proven : reached
  }, level)
}
