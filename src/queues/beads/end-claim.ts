import type { Claim, NextStep } from '../../ports/queue.ts'
import { readTask } from '../sqlite/change.ts'
import { isHeld, isLeftBlocked, reclaim, settleBlocked, settleClaim } from '../sqlite/claims.ts'
import { releaseCommand, restoreClaimCommand, settleBlockedCommands, settleCommands } from './commands.ts'
import { type Link, orQueueError } from './link.ts'
import { ownershipOf } from './outbox.ts'

/**
 * The mirror decides, then bd is informed. If bd does not answer, the verdict stands: it stays in the outbox, and the next
 * read sends it first. `maxAgeMs`: how old the last sync may be. `at`: the current time, taken after bd has answered,
 * because that may take seconds.
 */
export async function settleThrough(
  link: Link,
  claim: Claim,
  next: NextStep,
  { at, maxAgeMs }: { at: () => string; maxAgeMs: number },
): Promise<ReturnType<typeof settleClaim>> {
  const { db } = link
  const { id, by } = claim
  const { guards } = await link.bd.features()
  // bd cannot guard a close: it would overwrite whatever a person did meanwhile.
  const unseen = !guards || next.to === 'closed'
  if (isHeld(db, claim)) await link.syncIfPossible({ olderThanMs: maxAgeMs, unseen })
  const done = db.write(() => {
    const result = settleClaim(db, claim, next, at())
    if (result === 'stale') return result
    const hands = shown(link, id, by)
    const first = hands === held(by) ? [] : [restoreClaimCommand(id, by)]
    link.enqueue(id, [...first, ...settleCommands(next, { id, by, guards })], [held(by), hands])
    return result
  })
  return done === 'stale' ? done : await told(link, id, done)
}

/** The same for a task that the claim left blocked. A person who has changed it in bd meanwhile decides. */
export async function settleBlockedThrough(
  link: Link,
  claim: Claim,
  next: NextStep,
  { at, remove }: { at: () => string; remove: readonly string[] },
): Promise<ReturnType<typeof settleClaim>> {
  const { db } = link
  const { id, by } = claim
  const { guards } = await link.bd.features()
  if (isLeftBlocked(db, claim)) await orQueueError(() => link.sync())
  const done = db.write(() => {
    const result = settleBlocked(db, claim, next, { at: at(), remove })
    if (result === 'stale') return result
    link.enqueue(id, settleBlockedCommands(next, { id, by, guards, remove }), [LEFT_BLOCKED])
    return result
  })
  return done === 'stale' ? done : await told(link, id, done)
}

const LEFT_BLOCKED = ownershipOf({ status: 'blocked', assignee: '' })

async function told<T>(link: Link, id: string, done: T): Promise<T | 'stale'> {
  const decided = mirrored(link, id)
  if ((await link.trySend(id)) === 'failed') {
    // Either somebody else owns the task by now, and the sync adopts that, or the sync resends the verdict.
    await orQueueError(() => link.sync())
    if (mirrored(link, id) !== decided) return 'stale'
  }
  return done
}

/** Releases tasks whose leases have expired. Returns their ids. */
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
      link.enqueue(id, [releaseCommand([id], SUPERVISOR)], [held(by), shown(link, id, by)])
    }
    return reopened
  })
  await link.sendTogether(ids, releaseCommand(ids, SUPERVISOR))
  return ids
}

const SUPERVISOR = 'fleet'
const held = (by: string): string => ownershipOf({ status: 'in_progress', assignee: by })

/** The ownership that bd shows for a task of this claimer. It differs from the claim if the agent closed the task. */
function shown(link: Link, id: string, by: string): string {
  const seen = link.lastSeen(id)
  return seen === undefined ? held(by) : ownershipOf(seen)
}

function mirrored({ db }: Link, id: string): string {
  const task = readTask(db, id)
  return task === undefined ? '' : ownershipOf(task)
}
