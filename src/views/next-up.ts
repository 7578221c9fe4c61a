import { openHomeStore } from '../app.ts'
import { hostNames, suits } from '../domain/fleet/host.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { hostName } from '../platform/runtime/machine.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { policyInForce } from './configuration.ts'
import { queuedTasks } from './not-running.ts'
import { isLeaving } from './supervisor.ts'

/** The tasks that the supervisor of this home starts by itself as soon as slots are free. */
export interface NextUp {
  /** Those that it has started already, then those that are ready, in claim order. */
  readonly first: readonly { readonly id: string; readonly title: string }[]
  readonly more: boolean
}

const NAMED = 3
/** So many ready tasks are looked at: those before may be for other machines or lanes. */
const LOOKED_AT = 100

/** `except`: tasks that are known to have ended. undefined: nothing starts by itself. */
export async function nextUp(home: Home, except: ReadonlySet<string>): Promise<NextUp | undefined> {
  const holder = supervisorAlive(home)
  if (holder === undefined || isLeaving(holder)) return undefined
  try {
    await using store = await openHomeStore(home, { readOnly: true })
    const { queue, ledger } = store
    if (ledger.paused() !== undefined) return undefined
    const { policy } = await policyInForce(home, holder)
    const away = new Set(ledger.lanes().flatMap(({ name, state }) => (state === 'up' ? [] : [name])))
    const own = policy && hostNames(policy.host, hostName())
    const sources = { store: queue, ledger, now: Date.now(), assign: policy?.assignment ?? (() => undefined) }
    const queued = (await queuedTasks(sources, LOOKED_AT)).rows
      .filter(({ given }) => own === undefined || suits(given.on, own))
      .filter(({ assignment }) => assignment === undefined || !away.has(assignment.coder.value))
    // Asked after the ready ones, so that a task that is claimed meanwhile is among these.
    const held = { statuses: ['in_progress'], assignee: store.claimer(hostName()) }
    const all = new Map<string, NextUp['first'][number]>()
    for await (const { id, title } of queue.find({ ...held, limit: LOOKED_AT })) all.set(id, { id, title })
    for (const { id, title } of queued) all.set(id, { id, title })
    for (const id of except) all.delete(id)
    return all.size === 0 ? undefined : { first: [...all.values()].slice(0, NAMED), more: all.size > NAMED }
  } catch (error) {
    // The agents have been ended, and that is what was asked for.
    if (error instanceof AppError) return undefined
    throw error
  }
}
