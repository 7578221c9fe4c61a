import { openHomeStore } from '../app.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { isLeaving } from './supervisor.ts'

/** The tasks that the supervisor of this home starts by itself as soon as slots are free. */
export interface NextUp {
  /** Those that it has started already, then those that are ready, in claim order. */
  readonly first: readonly { readonly id: string; readonly title: string }[]
  readonly more: number
}

const NAMED = 3
const COUNTED = 1000

/** `except`: tasks that are known to have ended. undefined: nothing starts by itself. */
export async function nextUp(home: Home, except: ReadonlySet<string>): Promise<NextUp | undefined> {
  const holder = supervisorAlive(home)
  if (holder === undefined || isLeaving(holder)) return undefined
  try {
    await using store = await openHomeStore(home, { readOnly: true })
    if (store.ledger.paused() !== undefined) return undefined
    const running = store.ledger.openRuns().map(({ task, title }) => ({ id: task, title }))
    const ready = await store.queue.ready({ limit: COUNTED })
    const all = new Map([...running, ...ready].map(({ id, title }) => [id, { id, title }]))
    for (const id of except) all.delete(id)
    if (all.size === 0) return undefined
    return { first: [...all.values()].slice(0, NAMED), more: Math.max(0, all.size - NAMED) }
  } catch (error) {
    // The agents have been ended, and that is what was asked for.
    if (error instanceof AppError) return undefined
    throw error
  }
}
