import type { TaskState, WaitKind } from './run.ts'

const WAIT_KINDS: Readonly<Record<WaitKind, true>> = { retry: true, lane: true, refused: true, paused: true }

/**
 * The kind of a task's wait; null exactly if the task does not wait. Older versions of fleet stored no kind, and one may
 * still write to this home or share its queue: then it is inferred from the other fields, as those versions did.
 */
export function waitKindOf({ waiting, waitingKind, waitingUntil, lastOutcome }: TaskState): WaitKind | null {
  if (waiting === null) return null
  if (waitingKind !== null && Object.hasOwn(WAIT_KINDS, waitingKind)) return waitingKind
  if (waiting === lastOutcome?.text) return 'refused'
  return waitingUntil === null ? 'paused' : 'retry'
}
