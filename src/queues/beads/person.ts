import { AppError } from '../../errors.ts'
import { type Link, orQueueError } from './link.ts'

/**
 * Runs `work`, whose writes to bd come from a person: if it closes a running task, that ends the run. Closes that bd showed
 * before `work` are not a person's. If bd is unreachable, `work` runs all the same and reports that itself.
 */
export async function asPerson<T>(link: Link, work: () => Promise<T>): Promise<T> {
  if (link.db.guard(() => link.db.sql(LEASED).get()) === undefined) return await work()
  const sync = () => link.inTurn(async () => void (await link.sync()))
  const sign = link.signature()
  if ((await orQueueError(() => (sign === '' ? sync() : link.ensureFresh()))) instanceof AppError) return await work()
  const before = new Set(closedAtWork(link))
  const result = await work()
  if (sign !== '' && sign === link.signature()) return result
  // A supervisor may have synced meanwhile; it took the close for an agent's, so sync in any case.
  if ((await orQueueError(sync)) instanceof AppError) return result
  const closed = closedAtWork(link).filter((id) => !before.has(id))
  if (closed.length > 0) {
    link.acceptBdState(closed)
    await orQueueError(() => link.ensureFresh())
  }
  return result
}

const LEASED = 'select 1 from task where lease_until is not null limit 1'

function closedAtWork({ db }: Link): readonly string[] {
  const closed = `
    select id from task join beads_seen on beads_seen.task = task.id
    where lease_until is not null and task.status = 'in_progress' and beads_seen.status in ('closed', 'pinned')`
  return db.guard(() => db.sql<{ id: string }>(closed).all()).map(({ id }) => id)
}
