import { openHomeStore } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import { policyOf } from '../config/policy.ts'
import { sameHome } from '../domain/fleet/claimer.ts'
import { type Host, hostNames, isOnline, suits } from '../domain/fleet/host.ts'
import { AppError } from '../errors.ts'
import { hostName } from '../platform/runtime/machine.ts'
import type { NewOrder } from '../ports/orders.ts'
import type { ActionContext } from './action-context.ts'
import { orderAll, orderMachine } from './order-machine.ts'

export interface ClaimingOnHosts extends ActionContext {
  readonly kind: Extract<NewOrder['kind'], 'pause' | 'resume'>
  /** The name or label of the machines; undefined: all of them. */
  readonly host: string | undefined
}

export interface DoneOnHosts<T> {
  /** The result on this machine; undefined: the request does not include it. */
  readonly here: T | undefined
  readonly answers: readonly { readonly machine: string; readonly answer: string }[]
  /** Machines that are away, so they were not asked. */
  readonly away: readonly Host[]
  /** Machines that did not answer. */
  readonly failed: readonly AppError[]
}

/** Pauses or resumes claiming on the machines that are meant, on this one by calling `here`. */
export async function onHosts<T>(
  { home, by, progress, kind, host: name }: ClaimingOnHosts,
  here: () => Promise<T> | T,
): Promise<DoneOnHosts<T>> {
  await using store = await openHomeStore(home)
  const { hosts, orders } = store.queue
  if (hosts === undefined || orders === undefined) {
    throw new AppError('unsupported', 'no other machine shares the queue of this home', {
      hint: `fleet ${kind} without --host and --all-hosts`,
    })
  }
  const { host: names } = policyOf((await loadConfig(home.config)).config)
  const own = { id: store.claimer(hostName()), ...hostNames(names, hostName()) }
  const others = (await hosts.all()).filter((host) => !sameHome(host.id, own.id) && suits(name, host))
  // This machine counts without a supervisor too: its home keeps the pause.
  const mine = suits(name, own)
  if (!mine && others.length === 0) {
    throw new AppError('not-found', `no machine ${JSON.stringify(name)}`, {
      hint: 'fleet hosts lists the machines and their labels',
    })
  }
  const done = mine ? await here() : undefined
  const away = others.filter((host) => !isOnline(host, Date.now()))
  const asked = others.filter((host) => !away.includes(host))
  const { done: answers, failed } = await orderAll(asked, async ({ id, name: machine }) => {
    const at = { host: id, machine }
    return {
      machine,
      answer: await orderMachine({ orders, ...(progress && { progress }) }, { kind, task: '', by }, at),
    }
  })
  return { here: done, answers, away, failed }
}
