import { type HomeStore, openHomeStore } from '../app.ts'
import type { Receipt } from '../domain/run/receipt.ts'
import { decidable, type Reviewable } from '../domain/run/review.ts'
import { APPROVAL, NEEDS_APPROVAL } from '../domain/scope/approval.ts'
import type { Task } from '../domain/task/task.ts'
import type { Home } from '../platform/files/home.ts'
import { lastAttempt } from './review/reviews.ts'

/** A task that left its bounds, and waits until a person lets its work through. */
export interface WaitingApproval {
  readonly task: Task
  readonly standing: Reviewable
  readonly receipt: Receipt | undefined
}

/** Oldest first. */
export async function waitingApprovals(home: Home): Promise<readonly WaitingApproval[]> {
  await using store = await openHomeStore(home, { readOnly: true })
  const waiting: WaitingApproval[] = []
  for await (const task of store.queue.find({ statuses: ['blocked'], labelsAll: [NEEDS_APPROVAL] })) {
    const found = await approvalIn(store, task)
    if (found.standing.kind === 'waits') waiting.push(found)
  }
  return waiting.sort((one, other) => one.task.updated_at.localeCompare(other.task.updated_at))
}

/** In a store that is open already. */
export async function approvalIn(store: HomeStore, task: Task): Promise<WaitingApproval> {
  const { run, machine } = await lastAttempt(store, task.id)
  return {
    task,
    standing: decidable(APPROVAL, task, { last: run, machine }),
    receipt: run && store.ledger.recordsOf(run.id).receipt,
  }
}
