import { type HomeStore, openHomeStore } from '../../app.ts'
import { sameHome } from '../../domain/fleet/claimer.ts'
import type { Receipt } from '../../domain/run/receipt.ts'
import { NEEDS_REVIEW, type Review, type Reviewable, reviewable } from '../../domain/run/review.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Worktree } from '../../domain/run/worktree.ts'
import type { Task } from '../../domain/task/task.ts'
import type { Home } from '../../platform/files/home.ts'
import { hostName } from '../../platform/runtime/machine.ts'
import { type DiffPlace, locateDiff } from '../diff/diff-place.ts'
import { findTask } from '../find-task.ts'
import { type ShownProgram, shownPrograms, stoppedLanding } from './stopped-landing.ts'

/** A task whose work waits until a person has looked at it. */
export interface WaitingReview {
  readonly task: Task
  readonly since: number
  /** Its last attempt on this machine, and the receipt of it. */
  readonly run: Run | undefined
  readonly receipt: Receipt | undefined
  /** The other machine that it ran on. */
  readonly machine: string | undefined
  /** Why a person is asked. */
  readonly reason: string
}

/** Oldest first. */
export async function waitingReviews(home: Home): Promise<readonly WaitingReview[]> {
  await using store = await openHomeStore(home, { readOnly: true })
  const waiting: WaitingReview[] = []
  const wanted = { statuses: ['blocked'], labelsAll: [NEEDS_REVIEW] }
  for await (const task of store.queue.find(wanted)) {
    const { run, machine } = await lastAttempt(store, task.id)
    const stopped = stoppedLanding(store, task, run)
    if (machine === undefined && run?.outcome?.code !== NEEDS_REVIEW && stopped === undefined) continue
    waiting.push({
      task,
      since: run?.endedAt ?? Date.parse(task.updated_at),
      run,
      receipt: run && store.ledger.recordsOf(run.id).receipt,
      machine,
      reason: stopped?.why ?? run?.outcome?.text ?? '',
    })
  }
  return waiting.sort((a, b) => a.since - b.since)
}

/** One task, for the person who decides. */
export interface ReviewView {
  readonly task: Task
  readonly run: Run | undefined
  readonly receipt: Receipt | undefined
  readonly standing: Reviewable
  /** Hooks, filters and settings that its landing waits for. */
  readonly programs: readonly ShownProgram[]
  /** Earlier decisions, oldest first. */
  readonly reviews: readonly Review[]
  /** The worktree of the task; undefined: it never had one. */
  readonly worktree: Worktree | undefined
}

export async function reviewOf(home: Home, text: string): Promise<ReviewView> {
  await using store = await openHomeStore(home, { readOnly: true })
  const view = await reviewIn(store, await findTask(store.queue, text))
  const stopped = stoppedLanding(store, view.task, view.run)
  return stopped === undefined ? view : { ...view, programs: await shownPrograms(home, store, stopped) }
}

/** In a store that is open already. */
export async function reviewIn(store: HomeStore, task: Task): Promise<ReviewView> {
  const { run, machine } = await lastAttempt(store, task.id)
  return {
    task,
    run,
    receipt: run && store.ledger.recordsOf(run.id).receipt,
    standing: reviewable(task, { last: run, machine, stopped: stoppedLanding(store, task, run)?.why }),
    programs: [],
    reviews: store.ledger.reviews.of(task.id),
    worktree: store.ledger.worktreeOf(task.id),
  }
}

/** The diff that a person decides about: of a worktree the commits that would land. */
export async function reviewedDiffPlace(
  home: Home,
  { task, receipt, worktree }: Pick<ReviewView, 'task' | 'receipt' | 'worktree'>,
): Promise<DiffPlace> {
  const place = await locateDiff(home, { task: task.id, attempt: undefined })
  const head = receipt?.worktree?.head ?? undefined
  if (worktree === undefined || head === undefined || !COMMIT.test(head)) return place
  return { ...place, commits: { repository: worktree.repository, base: worktree.base, head } }
}

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/

export async function lastAttempt(
  store: HomeStore,
  id: string,
): Promise<{ readonly run: Run | undefined; readonly machine: string | undefined }> {
  const run = store.ledger.runsOf(id).at(-1)
  const [record] = (await store.queue.records?.of([id])) ?? []
  const isElsewhere = record !== undefined && record.host !== '' && !sameHome(record.host, store.claimer(hostName()))
  return { run, machine: isElsewhere ? record.machine : undefined }
}
