import { actorFrom, openHomeStore } from '../../app.ts'
import { loadConfig } from '../../config/load.ts'
import { policyOf } from '../../config/policy.ts'
import { sameHome } from '../../domain/fleet/claimer.ts'
import { hostNames, isOnline, suits } from '../../domain/fleet/host.ts'
import { AppError, EXIT } from '../../errors.ts'
import { hostName } from '../../platform/runtime/machine.ts'
import type { NewOrder } from '../../ports/orders.ts'
import type { Call } from '../command.ts'
import type { Flag } from '../flags.ts'
import { moment } from '../render/figures.ts'
import { allOrThrow, orderMachine } from './order-machine.ts'

export const HOST_FLAGS: readonly Flag[] = [
  { name: 'host', kind: 'text', value: 'name', help: 'do it on the machines of this name or label' },
  { name: 'all-hosts', kind: 'switch', help: 'do it on every machine that shares the queue' },
]

/** Whether other machines are meant. They are not when a task is: its own machine is asked. */
export function meansHosts({ flags, args }: Pick<Call, 'flags' | 'args'>): boolean {
  const named = flags.text('host') !== undefined
  if (!named && !flags.on('all-hosts')) return false
  if (named && flags.on('all-hosts')) throw new AppError('usage', '--host and --all-hosts exclude each other')
  if (args.length > 0) {
    throw new AppError('usage', 'a task is asked for on the machine that runs it, wherever that is', {
      hint: 'leave out --host and --all-hosts',
    })
  }
  return true
}

/** Does it on each machine that is meant, here by `here`; exit 6 if one of them was not there to be asked. */
export async function orderHosts(
  call: Call,
  kind: Extract<NewOrder['kind'], 'pause' | 'resume'>,
  here: () => Promise<void> | void,
): Promise<number> {
  const by = actorFrom(call.env, undefined)
  await using store = await openHomeStore(call.home)
  const { hosts, orders } = store.queue
  if (hosts === undefined || orders === undefined) {
    throw new AppError('unsupported', 'the queue of this home is its own: there are no other machines', {
      hint: `fleet ${kind} without --host and --all-hosts`,
    })
  }
  const { host: names } = policyOf((await loadConfig(call.home.config)).config)
  const own = { id: store.claimer(hostName()), ...hostNames(names, hostName()) }
  const name = call.flags.text('host')
  const others = (await hosts.all()).filter((host) => !sameHome(host.id, own.id) && suits(name, host))
  // Whether or not it has a supervisor: what is asked of it stands in its home.
  const mine = suits(name, own)
  if (!mine && others.length === 0) {
    throw new AppError('not-found', `no machine ${JSON.stringify(name)}`, { hint: 'fleet hosts lists the machines' })
  }
  if (mine) await here()
  const offline = others.filter((host) => !isOnline(host, Date.now()))
  for (const { name, seen } of offline) {
    call.warn(`fleet: ${name} was last heard of at ${moment(seen, Date.now())}; it was not asked`)
  }
  await allOrThrow(
    call,
    others.filter((host) => !offline.includes(host)),
    async ({ id, name: machine }) => {
      const at = { host: id, machine }
      call.print(`${machine}: ${await orderMachine({ orders, warn: call.warn }, { kind, task: '', by }, at)}`)
    },
  )
  return offline.length > 0 ? EXIT['not-running'] : 0
}
