import { openForTrial } from '../domain/fleet/lane.ts'
import { openModelForTrial, type RefusedModel, refusalOf } from '../domain/fleet/refused-model.ts'
import { waitsForLane, withoutWait } from '../domain/fleet/steering.ts'
import type { Outcome } from '../domain/run/outcome.ts'
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
    return {
      paused,
      lanes: ledger.lanes().filter((lane) => tryAgain(ledger, lane, now)),
      models: ledger.refusedModels().filter((refused) => tryModelAgain(ledger, refused, now)),
    }
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

/** Opens tasks again that are blocked because other permissions than these denied what they needed. */
export async function letDeniedGo(
  store: { readonly queue: TaskStore; readonly ledger: Ledger },
  { permissions, by }: { permissions: string; by: string },
): Promise<readonly string[]> {
  const opened: string[] = []
  for (const { task, lastOutcome, waitingKind } of store.ledger.endedWith('denied')) {
    const under = lastOutcome?.under
    // Nothing is wider than `full`; a task that a person has paused stays paused.
    if (under === undefined || under === permissions || under === 'full' || waitingKind === 'paused') continue
    // Another machine may have worked on it since.
    const [record] = (await store.queue.records?.of([task])) ?? []
    if (record !== undefined && record.state.lastOutcome?.code !== 'denied') continue
    // A task that was changed in the meantime stays as it is.
    const change = { change: { status: 'open' }, expect: { status: 'blocked' } } as const
    const { kind } = await store.queue.amend(task, change, by)
    if (kind !== 'amended') continue
    opened.push(task)
    // Once for a change: if a person blocks it before its next attempt, it stays blocked.
    await changeState(store, task, (state) => ({ ...state, lastOutcome: withoutPermissions(state.lastOutcome) }))
  }
  return opened
}

function withoutPermissions(outcome: Outcome | null): Outcome | null {
  if (outcome === null) return null
  const { under: _, ...rest } = outcome
  return rest
}

/** A person wants this task tried again: the refused model of its last attempt gets a trial run. */
export function tryModelOf(task: string, { ledger, now }: { ledger: Ledger; now: number }): void {
  const last = ledger.runsOf(task).at(-1)
  if (last?.outcome?.code !== 'bad-model') return
  const refused = refusalOf(ledger.refusedModels(), { lane: last.lane, model: last.model ?? '' })
  if (refused !== undefined) tryModelAgain(ledger, refused, now)
}

function tryModelAgain(ledger: Ledger, refused: RefusedModel, now: number): boolean {
  const after = openModelForTrial(refused, now)
  if (after !== undefined) ledger.refuseModel(after)
  return after !== undefined
}

function tryAgain(ledger: Ledger, lane: Lane, now: number): boolean {
  const after = openForTrial(lane, now)
  if (after !== undefined) ledger.saveLane(after)
  return after !== undefined
}
