import type { Elsewhere } from '../domain/fleet/claimer.ts'
import { elapsed } from '../domain/text/moment.ts'
import { AppError } from '../errors.ts'
import { wait } from '../platform/runtime/wait.ts'
import type { NewOrder, Orders } from '../ports/orders.ts'
import type { ActionContext } from './action-context.ts'

const POLL_MS = 50
const PATIENCE_MS = 1000
/** A supervisor looks for orders every five seconds even if nothing wakes it. */
const SILENT_MS = 10_000
/** The longest wait for a machine that has taken the order: its grace period may be long. */
const LONGEST_MS = 10 * 60_000

/** Orders the supervisor of another machine to do something; returns its answer when that is done. */
export async function orderMachine(
  { orders, progress }: Pick<ActionContext, 'progress'> & { readonly orders: Orders },
  wish: Omit<NewOrder, 'host'>,
  { host, machine }: Elsewhere,
): Promise<string> {
  const { task } = wish
  const id = await orders.give({ ...wish, host })
  const since = performance.now()
  let heardAt = since
  for (let lookAt = since + PATIENCE_MS, reported = false; ; await wait(POLL_MS)) {
    const order = await orders.get(id)
    if (order?.answer !== undefined) return order.answer
    const now = performance.now()
    if (now < lookAt) continue
    lookAt = now + PATIENCE_MS
    const left = await orders.leaseLeft(host, task)
    // A machine that has taken the order renews its claim for as long as it works on it.
    if (order?.taken === true && left !== undefined && left > 0) heardAt = now
    const silentMs = now - since >= LONGEST_MS ? LONGEST_MS : now - heardAt >= SILENT_MS ? SILENT_MS : undefined
    if (silentMs !== undefined && (await withdrawn(orders, id))) throw unanswered({ task, machine, left, silentMs })
    if (!reported)
      progress?.(
        task === '' ? { kind: 'machine-answering', machine } : { kind: 'task-ending-elsewhere', task, machine },
      )
    reported = true
  }
}

/** Orders all at once, so that a machine that does not answer delays no other. Failures are values. */
export async function orderAll<T, R>(
  each: readonly T[],
  order: (one: T) => Promise<R>,
): Promise<{ readonly done: readonly R[]; readonly failed: readonly AppError[] }> {
  const ended = await Promise.allSettled(each.map(order))
  const done: R[] = []
  const failed: AppError[] = []
  for (const one of ended) {
    if (one.status === 'fulfilled') done.push(one.value)
    else if (one.reason instanceof AppError) failed.push(one.reason)
    else throw one.reason
  }
  return { done, failed }
}

/**
 * An order without an answer is withdrawn: that machine must not stop a later run for it when it is back. false: the
 * answer came just now.
 */
async function withdrawn(orders: Orders, id: number): Promise<boolean> {
  if (await orders.withdraw(id)) return true
  if ((await orders.get(id))?.answer !== undefined) return false
  await orders.done(id, 'withdrawn: the caller stopped waiting')
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
    return new AppError('not-running', silent, {
      hint: 'nothing was changed there; fleet hosts shows which machines are there',
    })
  if (left === undefined) {
    return new AppError('conflict', `${silent}; it holds ${task} no more`, {
      hint: `fleet show ${task} says how it stands`,
    })
  }
  const lease = `its claim on ${task} ends in ${elapsed(left)} unless it renews it`
  return new AppError('not-running', `${silent}; ${lease}`, {
    hint: `fleet bd update ${task} --status blocked takes the task away from it; it then stops its agent as soon as it reaches the queue`,
  })
}
