import type { Ledger } from '../ports/ledger.ts'
import type { Queue } from '../ports/queue.ts'

export interface ComingRetry {
  readonly task: string
  readonly at: number
}

/** Tasks that wait only for the delay before their next attempt, soonest first. */
export async function comingRetries(
  { queue, ledger }: { queue: Pick<Queue, 'get'>; ledger: Pick<Ledger, 'waiting'> },
  now: number,
): Promise<readonly ComingRetry[]> {
  const retries: ComingRetry[] = []
  for (const { task, waitingUntil, waitingKind } of ledger.waiting(1000)) {
    if (waitingUntil === null || waitingUntil <= now || waitingKind !== 'retry') continue
    // A person may have closed or blocked it in the meantime.
    if ((await queue.get(task))?.status === 'open') retries.push({ task, at: waitingUntil })
  }
  return retries
}
