import type { Claim, ClaimWish } from '../../ports/queue.ts'
import { claimTasks } from '../sqlite/claims.ts'
import { objectsOf } from './answer.ts'
import { queueError } from './bd.ts'
import { claimCommand, grantedIn, releaseCommand } from './commands.ts'
import { type Link, TRIES } from './link.ts'
import { expireUnleased } from './mirror.ts'
import { clearOutbox, outboxOf, ownershipOf } from './outbox.ts'
import { setState, stateOf } from './tables.ts'

interface Moment {
  readonly now: number
  readonly at: string
}

/** Tasks per call, to keep the command line short. */
const CHUNK = 100
/** How long fleet leaves alone a task whose claim bd refused without a visible reason. */
const REFUSED_MS = 30_000
const OPEN = ownershipOf({ status: 'open', assignee: '' })

/**
 * The mirror chooses and claims, bd is asked to claim the same tasks, and a sync afterwards decides who owns them. If the
 * process dies in between, the lease in the mirror expires and the tasks are released.
 */
export async function claimThrough(link: Link, want: ClaimWish, moment: Moment): Promise<readonly Claim[]> {
  const claims = link.db.write(() => {
    rememberClaimer(link, want.by)
    const chosen = claimTasks(link.db, want, moment)
    for (const { id } of chosen) link.enqueue(id, [claimCommand([id], want.by)], [OPEN])
    return chosen
  })
  if (claims.length === 0) return []
  const ids = claims.map((claim) => claim.id)
  try {
    const deferred = ids.filter((id) => ownershipOf(link.lastSeen(id) ?? { status: 'open', assignee: '' }) !== OPEN)
    if (deferred.length > 0) await link.write(releaseCommand(deferred, want.by))
    let granted = await ask(link, ids, want.by)
    const refused = ids.filter((id) => !granted.has(id))
    if (refused.length > 0) {
      await recomputeBlocked(link)
      granted = union(granted, await ask(link, refused, want.by))
    }
    link.markSent(ids)
    const lost = claims.filter(({ id }) => !granted.has(id))
    releaseInMirror(link, lost)
    // Sync until bd confirms an owner for each of them; each sync resends claims that bd lost.
    for (let syncs = 0; syncs === 0 || ids.some((id) => outboxOf(link.db, id).length > 0); syncs++) {
      if (syncs > TRIES) throw queueError('bd granted a claim and does not show it')
      await link.sync()
    }
    delay(link, lost, moment.now + REFUSED_MS)
  } catch (error) {
    // bd may or may not have written the claims: release them in bd as soon as it can be reached.
    releaseInMirror(link, claims, { releaseAs: want.by })
    throw error
  }
  return claims.filter((claim) => isStillHeld(link, claim))
}

async function ask(link: Link, ids: readonly string[], by: string): Promise<ReadonlySet<string>> {
  let granted: ReadonlySet<string> = new Set()
  for (let at = 0; at < ids.length; at += CHUNK) {
    const { out } = await link.call(claimCommand(ids.slice(at, at + CHUNK), by))
    granted = union(granted, grantedIn(objectsOf(out), by))
  }
  return granted
}

/**
 * Before a refused claim is retried. After two closes at the same moment bd can believe that their dependent is still
 * blocked; bd recomputes that on request.
 */
async function recomputeBlocked(link: Link): Promise<void> {
  if ((await link.bd.features()).recomputes) await link.call({ argv: ['recompute-blocked'], by: 'fleet' })
}

function releaseInMirror(link: Link, claims: readonly Claim[], how: { releaseAs?: string } = {}): void {
  const { db } = link
  db.write(() => {
    for (const { id, by, token } of claims) {
      clearOutbox(db, id)
      db.sql(
        `update task set status = 'open', assignee = '', lease_until = null, claim_token = claim_token + 1
         where id = ? and claim_token = ?`,
      ).run(id, token)
      if (how.releaseAs === undefined) continue
      link.enqueue(
        id,
        [releaseCommand([id], how.releaseAs)],
        [OPEN, ownershipOf({ status: 'in_progress', assignee: by })],
      )
      link.retryLater([id])
    }
  })
}

function delay({ db }: Link, claims: readonly Claim[], until: number): void {
  const wait = `update task set not_before = ? where id = ? and status = 'open' and assignee = ''`
  db.write(() => {
    for (const { id } of claims) db.sql(wait).run(until, id)
  })
}

function isStillHeld({ db }: Link, { id, by, token }: Claim): boolean {
  const held = `
    select 1 from task join beads_seen on beads_seen.task = task.id and beads_seen.assignee = task.assignee
    where id = ? and task.assignee = ? and claim_token = ? and lease_until is not null and beads_seen.status = 'in_progress'`
  return db.sql(held).get(id, by, token) !== undefined
}

/** Records the names of this home's supervisors: a task that bd shows under such a name without a lease is released. */
export function rememberClaimer({ db }: Link, by: string): void {
  const known = stateOf(db, 'claimers').split('\n')
  if (known.includes(by)) return
  setState(db, 'claimers', [...known.filter((name) => name !== ''), by].join('\n'))
  expireUnleased(db, by)
}

function union<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> {
  return new Set([...a, ...b])
}
