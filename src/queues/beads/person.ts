import { AppError } from '../../errors.ts'
import { type Link, orTrouble } from './link.ts'

/**
 * Whatever `work` has bd write is a person's word, also about a task at work: its run is over. What bd showed before is
 * not. A bd that cannot be asked is no reason not to work with it.
 */
export async function asPerson<T>(link: Link, work: () => Promise<T>): Promise<T> {
  if (link.db.guard(() => link.db.sql(LEASED).get()) === undefined) return await work()
  const look = () => link.alone(async () => void (await link.look()))
  const sign = link.sign()
  if ((await orTrouble(() => (sign === '' ? look() : link.fresh()))) instanceof AppError) return await work()
  const before = new Set(closedAtWork(link))
  const result = await work()
  if (sign !== '' && sign === link.sign()) return result
  // Also where a supervisor has looked since: to it that was an agent's word.
  if ((await orTrouble(look)) instanceof AppError) return result
  const said = closedAtWork(link).filter((id) => !before.has(id))
  if (said.length > 0) {
    link.follow(said)
    await orTrouble(() => link.fresh())
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
