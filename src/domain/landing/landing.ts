import type { Run, TaskState } from '../run/run.ts'
import type { Worktree } from '../run/worktree.ts'
import type { NextStep } from '../task/next-step.ts'
import type { BuildReport } from './landing-on-receipt.ts'

/**
 * The work of a task on its way to its target branch: one per task, in the ledger. All that a landing does can be done again
 * from this and the refs of the repository, so a supervisor may be killed at any step.
 */
export interface Landing {
  readonly task: string
  readonly title: string
  /** The run whose work it is, and the claim under which it left the task blocked. */
  readonly run: string
  readonly claim: { readonly by: string; readonly token: number }
  /** The task's own directory, whose settings apply. */
  readonly project: string
  readonly repository: string
  /** The directory of the task below the repository's top folder. */
  readonly folder: string
  readonly branch: string
  readonly base: string
  /** The last commit of the work, as it passed its checks. Later commits of the branch are not landed. */
  readonly commit: string
  /** The branch of the task's worktree; null: none was checked out. */
  readonly target: string | null
  /** The reason of its close, in the words of its agent. */
  readonly summary: string
  readonly queuedAt: number
  /** The person who asked for it; null: nobody yet. Only `land = manual` asks for one. */
  readonly approvedBy: string | null
  /** How often this task went back to its agent because of a conflict. */
  readonly bounces: number
  readonly state: LandingState
}

export type LandingState =
  /**
   * A person accepts its work, and the queue has not confirmed that: nothing lands yet. `before`: the landing that it
   * replaces. `waits`: when a supervisor asks the queue again.
   */
  | { readonly at: 'accepting'; readonly before?: Landing; readonly waits?: LandingWait }
  /** It has to be brought onto the target. `waits`: why that was not possible the last time, and when it is tried again. */
  | { readonly at: 'queued'; readonly waits?: LandingWait }
  /** `to`, built on `from` at `path`, is being checked. `portBase`: the first of the ports of its checks. */
  | ({ readonly at: 'checking'; readonly path: string; readonly tree: string; readonly portBase?: number } & Building)
  /**
   * `to`, built on `from`, has passed what `passed` stands for. Written before the target is moved. Without `passed` it is
   * built and checked again. `report`: for the receipt.
   */
  | ({ readonly at: 'moving'; readonly passed?: string; readonly report?: BuildReport } & Building)
  /** Its fate is decided, and the queue is to be told. `landed`: the commit on the target. */
  | { readonly at: 'settling'; readonly next: NextStep; readonly landed?: string; readonly state?: StateChange }
  /** `landed`: the commit on the target; null: it did not land. */
  | { readonly at: 'over'; readonly landed: string | null }

/** The state of the task that a landing that goes back has written. It is undone if the task is a person's by then. */
export interface StateChange {
  readonly before: TaskState
  readonly after: TaskState
}

/** Also if one of them has been stored. */
export function isSameState(one: TaskState, other: TaskState): boolean {
  const fields = Object.keys(one) as (keyof TaskState)[]
  return fields.every((field) => JSON.stringify(one[field]) === JSON.stringify(other[field]))
}

interface Building {
  readonly from: string
  readonly to: string
  readonly target: string
  readonly waits?: LandingWait
}

export interface LandingWait {
  readonly why: string
  /** The time of the next try; null: a person asks for it. */
  readonly until: number | null
  readonly tries: number
}

/** So often is a landing tried before it counts as one that waits for a person. */
const PATIENT_TRIES = 3

/** Whether it is tried again soon, without a person. */
export function goesOnSoon(wait: LandingWait | undefined): boolean {
  return wait === undefined || (wait.until !== null && wait.tries < PATIENT_TRIES)
}

/** Whether the target may be moved to what was built before: neither it nor what has to pass has changed since. */
export function isReady(
  state: LandingState,
  now: { readonly from: string; readonly target: string; readonly passed: string },
): state is Extract<LandingState, { at: 'moving' }> {
  return state.at === 'moving' && state.from === now.from && state.target === now.target && state.passed === now.passed
}

/** The label of a task that waits to land. */
export const NEEDS_LANDING = 'needs-landing'

/** How soon a landing that had to wait is tried again: soon at first, because most reasons are short. */
export function waitMs(tries: number): number {
  return Math.min(2000 * 2 ** Math.min(tries, 10), 60_000)
}

/** `tookMs`: how long it took to find out. As much time is left to others: a check that hangs takes many minutes. */
export function waitsAgain(
  before: LandingWait | undefined,
  why: string,
  { now, tookMs = 0 }: { now: number; tookMs?: number },
): LandingWait {
  const tries = before?.why === why ? before.tries + 1 : 0
  return { why, until: now + Math.max(waitMs(tries), tookMs), tries }
}

/** No further try by itself after so many; `remedy`: what a person does about it. */
export function waitsForPerson(wait: LandingWait, remedy: string): LandingWait {
  return wait.tries + 1 < PATIENT_TRIES ? wait : { ...wait, why: `${wait.why}: ${remedy}`, until: null }
}

export function waitOf({ state }: Pick<Landing, 'state'>): LandingWait | undefined {
  return 'waits' in state ? state.waits : undefined
}

/** The branch that it is for by now: the task's own, the project's, or the one of its worktree. null: none is known. */
export function targetOf(
  { target }: Pick<Landing, 'target'>,
  { own, project }: { readonly own: string | undefined; readonly project: string | undefined },
): string | null {
  return own || project || target
}

/** Landings that follow each other: of one repository onto one branch. `folder`: of git, which all its checkouts share. */
export function laneOfLanding({ folder, target }: { folder: string; target: string | null }): string {
  return JSON.stringify([folder, target])
}

/** Whether a supervisor continues it by itself. If not, it waits until a person asks for it. */
export function isApproved(
  { approvedBy, state }: Pick<Landing, 'approvedBy' | 'state'>,
  land: 'auto' | 'manual',
): boolean {
  return land === 'auto' || approvedBy !== null || state.at === 'settling' || state.at === 'accepting'
}

/** The landing of the work of a run, before anything is done. `before`: that of an earlier attempt, whose bounces count. */
export function newLanding(
  { task, title, id, claimedBy, token, project }: Run,
  {
    worktree: { repository, folder, branch, base, target },
    commit,
    summary,
    queuedAt,
    before,
  }: Pick<Landing, 'commit' | 'summary' | 'queuedAt'> & {
    readonly worktree: Worktree
    readonly before: Landing | undefined
  },
): Landing {
  return {
    ...{ task, title, run: id, claim: { by: claimedBy, token }, project },
    ...{ repository, folder, branch, base, commit, target, summary, queuedAt },
    approvedBy: null,
    bounces: before?.bounces ?? 0,
    state: { at: 'queued' },
  }
}
