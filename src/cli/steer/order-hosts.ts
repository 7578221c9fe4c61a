import { openHomeStore } from '../../app.ts'
import { sameHome } from '../../domain/claimer.ts'
import { type Host, isHere, suits } from '../../domain/host.ts'
import { AppError, EXIT } from '../../errors.ts'
import { hostName } from '../../platform/machine.ts'
import type { NewOrder } from '../../ports/orders.ts'
import type { Call } from '../command.ts'
import type { Flag } from '../flags.ts'
import { moment } from '../render/figures.ts'
import { orderMachine } from './order-machine.ts'
import { personFrom } from './person.ts'

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
  const by = personFrom(call.env)
  await using store = await openHomeStore(call.home)
  const { hosts, orders } = store.queue
  if (hosts === undefined || orders === undefined) {
    throw new AppError('unsupported', 'the queue of this home is its own: there are no other machines', {
      hint: `fleet ${kind} without --host and --all-hosts`,
    })
  }
  const meant = await meantBy(call, await hosts.all())
  let code = 0
  for (const { id, name, ...host } of meant) {
    if (sameHome(id, store.claimer(hostName()))) {
      await here()
    } else if (isHere(host, Date.now())) {
      const answer = await orderMachine(
        { orders, warn: call.warn },
        { kind, task: '', by },
        { host: id, machine: name },
      )
      call.print(`${name}: ${answer}`)
    } else {
      call.warn(`fleet: ${name} was last heard at ${moment(host.seen, Date.now())}; it was not asked`)
      code = EXIT['not-running']
    }
  }
  return code
}

async function meantBy({ flags }: Call, all: readonly Host[]): Promise<readonly Host[]> {
  const name = flags.text('host')
  const meant = all.filter((host) => suits(name, host))
  if (meant.length > 0) return meant
  throw new AppError('not-found', name === undefined ? 'no machine is there' : `no machine ${JSON.stringify(name)}`, {
    hint: 'fleet hosts shows who is there',
  })
}
