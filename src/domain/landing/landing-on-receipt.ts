import type { OutcomeCode } from '../run/outcome.ts'
import type { CheckOnReceipt } from '../run/receipt.ts'
import type { Landing } from './landing.ts'
import type { Plan } from './plan.ts'

/** The last that became of the work of a run on its way to its target. */
export interface LandingOnReceipt {
  /** `returned`: to its agent, or to a person. */
  readonly result: 'landed' | 'returned'
  readonly at: string
  readonly target: string
  /** The commit on the target, or the one that was built for it; null: none was, or the target had all of it before. */
  readonly commit: string | null
  /** The tip of the target that this commit was built on; absent: there is no such commit, or an older fleet landed it. */
  readonly from?: string
  readonly how: Plan['how']
  /** Of the tree that was to land; absent: nothing was to be checked, or git got no further. */
  readonly check?: CheckOnReceipt
  /** Why it went back; absent: it landed. */
  readonly outcome?: { readonly code: OutcomeCode; readonly text: string }
  /** How often the task had gone back before because of a conflict. */
  readonly bounces: number
}

/** How a commit was built, and what was found out about it. It outlives the supervisor that did it. */
export type BuildReport = Pick<LandingOnReceipt, 'how' | 'check'>

export function landedOnReceipt(
  { state, commit: work, bounces }: Landing,
  { target, to, at }: { readonly target: string; readonly to: string | null; readonly at: number },
): LandingOnReceipt {
  // An older fleet did not note how it built what it was about to land.
  const noted = state.at === 'moving' ? state.report : undefined
  const report: BuildReport = noted ?? { how: to === null ? 'nothing' : to === work ? 'as-it-is' : 'rebase' }
  const from = state.at === 'moving' && state.to === to ? { from: state.from } : {}
  return { result: 'landed', at: new Date(at).toISOString(), target, commit: to, ...from, ...report, bounces }
}

/** `commit`: null: git could not build one. */
export interface Returning {
  readonly target: string
  readonly commit: string | null
  readonly report: BuildReport
}

export function returnedOnReceipt(
  { bounces }: Landing,
  { target, commit, report }: Returning,
  { code, text, at }: { readonly code: OutcomeCode; readonly text: string; readonly at: number },
): LandingOnReceipt {
  return {
    ...{ result: 'returned', at: new Date(at).toISOString(), target, commit },
    ...{ ...report, outcome: { code, text }, bounces },
  }
}
