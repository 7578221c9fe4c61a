import { elapsed } from '../cli/render/figures.ts'
import type { Elsewhere } from '../domain/fleet/claimer.ts'
import { AppError } from '../errors.ts'
import { wait } from '../platform/runtime/wait.ts'
import type { NewOrder, Orders } from '../ports/orders.ts'

export interface Ordering {
  readonly orders: Orders
  /** Progress, where it takes long. */
  warn(line: string): void
}

const POLL_MS = 50
const PATIENCE_MS = 1000
/** So long for a supervisor that is there to be heard of: without being woken it looks every five seconds. */
const SILENT_MS = 10_000
/** So long for one that has heard: its grace may be long, but who waits wants to know how it stands. */
const LONGEST_MS = 10 * 60_000

/** Asks the machine that runs the task, and comes back with its answer when it is done. */
export async function orderMachine(
  { orders, warn }: Ordering,
  wish: Pick<NewOrder, 'kind' | 'task' | 'by'>,
  { host, machine }: Elsewhere,
): Promise<string> {
  const { task } = wish
  const id = await orders.give({ ...wish, host })
  const since = performance.now()
  let heardAt = since
  for (let lookAt = since + PATIENCE_MS, told = false; ; await wait(POLL_MS)) {
    const order = await orders.get(id)
    if (order?.answer !== undefined) return order.answer
    const now = performance.now()
    if (now < lookAt) continue
    lookAt = now + PATIENCE_MS
    const left = await orders.leaseLeft(host, task)
    // Once it knows, it takes as long as it takes, and renews its claim meanwhile.
    if (order?.taken === true && left !== undefined && left > 0) heardAt = now
    const silentMs = now - since >= LONGEST_MS ? LONGEST_MS : now - heardAt >= SILENT_MS ? SILENT_MS : undefined
    if (silentMs !== undefined && (await givenUp(orders, id))) throw unanswered({ task, machine, left, silentMs })
    if (!told) warn(task === '' ? `waiting for ${machine}` : `waiting for ${task} to end on ${machine}`)
    told = true
  }
}

/** All at once: a machine that does not answer keeps no other from being asked. The first that did not is thrown, the others told. */
export async function allOrThrow<T>(
  { warn }: Pick<Ordering, 'warn'>,
  each: readonly T[],
  order: (one: T) => Promise<void>,
): Promise<void> {
  const ended = await Promise.allSettled(each.map(order))
  const [first, ...more] = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
  for (const { message } of more) warn(`fleet: ${message}`)
  if (first !== undefined) throw first
}

/** What nobody answered is withdrawn: that machine must not stop a later run for it when it is back. false: it just was. */
async function givenUp(orders: Orders, id: number): Promise<boolean> {
  if (await orders.withdraw(id)) return true
  if ((await orders.get(id))?.answer !== undefined) return false
  await orders.done(id, 'withdrawn: nobody waits for it any more')
  return true
}

interface Unanswered {
  readonly task: string
  readonly machine: string
  readonly left: number | undefined
  readonly silentMs: number
}

function unanswered({ task, machine, left, silentMs }: Unanswered): AppError {
  const silent = `${machine} has not answered for ${elapsed(silentMs)}`
  if (task === '')
    return new AppError('not-running', silent, { hint: 'nothing was changed there; fleet hosts says who is there' })
  if (left === undefined) {
    return new AppError('conflict', `${silent}; it holds ${task} no more`, {
      hint: `fleet show ${task} says how it stands`,
    })
  }
  const lease = `its claim on ${task} ends in ${elapsed(left)} unless it renews it`
  return new AppError('not-running', `${silent}; ${lease}`, {
    hint: `fleet bd update ${task} --status blocked takes the task away from it; its agent is ended as soon as it hears of that`,
  })
}
