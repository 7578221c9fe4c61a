import type { Claim, NextStep } from '../../ports/queue.ts'
import { readTask } from '../sqlite/change.ts'
import { isHeld, reclaim, settleClaim } from '../sqlite/claims.ts'
import { giveBack, settleCommands, takeBack } from './commands.ts'
import { type Link, orTrouble } from './link.ts'
import { handsOf } from './owed.ts'

/**
 * Decided here, told to bd afterwards. A bd that does not answer does not undo the verdict: it stays owed, and is told
 * before anything else is read. `mayBeOldMs`: what was seen of bd may be so old; `at`: now, asked once bd has answered,
 * which may take seconds.
 */
export async function settleThrough(
  link: Link,
  claim: Claim,
  next: NextStep,
  { at, mayBeOldMs }: { at: () => string; mayBeOldMs: number },
): Promise<ReturnType<typeof settleClaim>> {
  const { db } = link
  const { id, by } = claim
  const { guards } = await link.bd.features()
  // A close has no guard of bd's: it would go over whatever a person did meanwhile.
  const unseen = !guards || next.to === 'closed'
  if (isHeld(db, claim)) await link.reassure({ olderThanMs: mayBeOldMs, unseen })
  const done = db.write(() => {
    const result = settleClaim(db, claim, next, at())
    if (result === 'stale') return result
    const hands = shown(link, id, by)
    const first = hands === held(by) ? [] : [takeBack(id, by)]
    link.owe(id, [...first, ...settleCommands(next, { id, by, guards })], [held(by), hands])
    return result
  })
  if (done === 'stale') return done
  const decided = mirrored(link, id)
  if ((await link.tryToTell(id)) === 'failed') {
    // Somebody else has it by now, and then the mirror follows; or bd is told again.
    await orTrouble(() => link.look())
    if (mirrored(link, id) !== decided) return 'stale'
  }
  return done
}

/** Gives back what nobody has renewed; their ids. */
export async function reclaimThrough(link: Link, moment: { now: number; at: string }): Promise<readonly string[]> {
  const { db } = link
  const ids = db.write(() => {
    const leased = db.sql<{ id: string; assignee: string }>(
      'select id, assignee from task where lease_until is not null',
    )
    const holders = new Map(leased.all().map(({ id, assignee }) => [id, assignee]))
    const reopened = reclaim(db, moment)
    for (const id of reopened) {
      const by = holders.get(id) ?? ''
      link.owe(id, [giveBack([id], SUPERVISOR)], [held(by), shown(link, id, by)])
    }
    return reopened
  })
  await link.tellTogether(ids, giveBack(ids, SUPERVISOR))
  return ids
}

const SUPERVISOR = 'fleet'
const held = (by: string): string => handsOf({ status: 'in_progress', assignee: by })

/** In whose hands bd has a task of this claimer; in other than its own, where an agent closed it. */
function shown(link: Link, id: string, by: string): string {
  const seen = link.seen(id)
  return seen === undefined ? held(by) : handsOf(seen)
}

function mirrored({ db }: Link, id: string): string {
  const task = readTask(db, id)
  return task === undefined ? '' : handsOf(task)
}
