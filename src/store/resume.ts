import { openForTrial } from '../domain/fleet/lane.ts'
import { waitsForLane, withoutWait } from '../domain/fleet/steering.ts'
import type { Lane } from '../domain/run/run.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Resumed } from '../ports/steering.ts'
import type { TaskStore } from '../ports/task-store.ts'
import { changeState } from './task-record.ts'

/** Ends a pause of claiming, and opens every lane that is down or paused for a trial with the tasks that wait for it. */
export async function resumeClaiming(
  store: { readonly queue: TaskStore; readonly ledger: Ledger },
  { by, now }: { by: string; now: number },
): Promise<Resumed> {
  const { ledger, queue } = store
  const resumed = ledger.together(() => {
    const paused = ledger.paused() !== undefined
    if (paused) ledger.resume()
    return { paused, lanes: ledger.lanes().filter((lane) => tryAgain(ledger, lane, now)) }
  })
  const waiting = ledger.waiting(Number.MAX_SAFE_INTEGER)
  for (const { task } of waiting.filter((state) => resumed.lanes.some(({ name }) => waitsForLane(state, name)))) {
    // A task that waits for its lane also waits for a time.
    await changeState(store, task, withoutWait)
    // A task that was changed in the meantime stays as it is.
    await queue.amend(task, { change: { status: 'open' }, expect: { status: 'open' } }, by)
  }
  return resumed
}

function tryAgain(ledger: Ledger, lane: Lane, now: number): boolean {
  const after = openForTrial(lane, now)
  if (after !== undefined) ledger.saveLane(after)
  return after !== undefined
}
