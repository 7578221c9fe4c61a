import type { Elsewhere } from '../../domain/claimer.ts'
import { AppError } from '../../errors.ts'
import { wait } from '../../platform/wait.ts'
import type { NewOrder, Orders } from '../../ports/orders.ts'
import { elapsed } from '../render/figures.ts'

export interface Ordering {
  readonly orders: Orders
  /** Progress, where it takes long. */
  warn(line: string): void
}

const POLL_MS = 50
const PATIENCE_MS = 1000
/** So long for a supervisor that is there to see that it was asked; it looks every five seconds without being woken. */
const SEEN_MS = 10_000
/** So long, once it has seen it, until its lease tells better than it does. */
const DONE_MS = 180_000

/** Asks the machine that runs the task, and comes back with its answer when it is done. */
export async function orderMachine(
  { orders, warn }: Ordering,
  wish: Pick<NewOrder, 'kind' | 'task' | 'by'>,
  { host, machine }: Elsewhere,
): Promise<string> {
  const { task } = wish
  const id = await orders.give({ ...wish, host })
  const since = performance.now()
  for (let told = false; ; await wait(POLL_MS)) {
    const order = await orders.get(id)
    if (order?.answer !== undefined) return order.answer
    const waited = performance.now() - since
    const withdrawn = order === undefined || (!order.taken && waited >= SEEN_MS && (await orders.withdraw(id)))
    if (withdrawn || waited >= DONE_MS) throw await unanswered(orders, { id, task, machine, waited })
    if (waited < PATIENCE_MS || told) continue
    warn(`waiting for ${task} to end on ${machine}`)
    told = true
  }
}

/** What nobody answered is withdrawn: that machine must not stop a later run for it when it is back. */
async function unanswered(
  orders: Orders,
  { id, task, machine, waited }: { id: number; task: string; machine: string; waited: number },
): Promise<AppError> {
  await orders.done(id, 'withdrawn: nobody waits for it any more')
  const left = await orders.leaseLeft(task)
  const lease =
    left === undefined ? 'it holds the task no more' : `its claim ends in ${elapsed(left)} unless it renews it`
  return new AppError('not-running', `${machine} has not answered for ${elapsed(waited)}, and runs ${task}; ${lease}`, {
    hint: `fleet bd update ${task} --status blocked takes the task away from it, and its agent is ended as soon as it hears of that`,
  })
}
