import type { Claim, Queue, TaskDraft } from '../../src/ports/queue.ts'

/** The start of a case. It is data, so that a slow backend can make it once for all cases that start with the same. */
export interface Given {
  /** Created by `maker`, one second after the other. Each brings its id or is a child, so that a case can name it. */
  readonly tasks: readonly TaskDraft[]
  /** So many of them are then claimed by `claimer`, for a minute. */
  readonly claimed?: number
}

/** `task('a')` is fleet-a. */
export function task(name: string, more: Partial<TaskDraft> = {}): TaskDraft {
  return { id: `fleet-${name}`, title: name, ...more }
}

export const NOTHING: Given = { tasks: [] }
export const WORK: Given = { tasks: [task('work')] }
export const CLAIMED_WORK: Given = { ...WORK, claimed: 1 }

interface Place {
  readonly queue: Pick<Queue, 'create' | 'claim'>
  readonly clock: { millis: number }
}

export async function createTasks({ queue, clock }: Place, { tasks }: Given): Promise<readonly string[]> {
  const ids: string[] = []
  for (const draft of tasks) {
    ids.push((await queue.create(draft, 'maker')).id)
    clock.millis += 1000
  }
  return ids
}

export async function claimTasks({ queue }: Pick<Place, 'queue'>, { claimed = 0 }: Given): Promise<readonly Claim[]> {
  if (claimed === 0) return []
  const claims = await queue.claim({ limit: claimed, by: 'claimer', leaseMs: 60_000 })
  if (claims.length < claimed) throw new Error(`${claims.length} of ${claimed} tasks were handed out`)
  return claims
}
