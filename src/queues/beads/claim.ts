import type { Claim, ClaimWish } from '../../ports/queue.ts'
import { claimTasks } from '../sqlite/claims.ts'
import { objectsOf } from './answer.ts'
import { queueTrouble } from './bd.ts'
import { claimCommand, giveBack, grantedIn } from './commands.ts'
import { type Link, TRIES } from './link.ts'
import { expireUnleased } from './mirror.ts'
import { acquit, handsOf, owedOf } from './owed.ts'
import { setState, stateOf } from './tables.ts'

interface Moment {
  readonly now: number
  readonly at: string
}

/** So many at once that a command line stays short. */
const CHUNK = 100
/** What bd refuses without showing why is not asked for again at once. */
const REFUSED_MS = 30_000
const OPEN = handsOf({ status: 'open', assignee: '' })

/**
 * The mirror chooses and holds; bd is asked; and what bd shows afterwards decides who really has it. Killed anywhere in
 * between, the lease here runs out and the task is given back.
 */
export async function claimThrough(link: Link, want: ClaimWish, moment: Moment): Promise<readonly Claim[]> {
  const claims = link.db.write(() => {
    rememberClaimer(link, want.by)
    const chosen = claimTasks(link.db, want, moment)
    for (const { id } of chosen) link.owe(id, [claimCommand([id], want.by)], [OPEN])
    return chosen
  })
  if (claims.length === 0) return []
  const ids = claims.map((claim) => claim.id)
  try {
    const asleep = ids.filter((id) => handsOf(link.seen(id) ?? { status: 'open', assignee: '' }) !== OPEN)
    if (asleep.length > 0) await link.write(giveBack(asleep, want.by))
    let granted = await ask(link, ids, want.by)
    const refused = ids.filter((id) => !granted.has(id))
    if (refused.length > 0) {
      await mend(link)
      granted = union(granted, await ask(link, refused, want.by))
    }
    link.tellDone(ids)
    const lost = claims.filter(({ id }) => !granted.has(id))
    letGo(link, lost)
    // Until bd shows every one of them in somebody's hands; what it was told and does not show, a look tells it again.
    for (let looks = 0; looks === 0 || ids.some((id) => owedOf(link.db, id).length > 0); looks++) {
      if (looks > TRIES) throw queueTrouble('bd cannot be told of a claim that it granted')
      await link.look()
    }
    putOff(link, lost, moment.now + REFUSED_MS)
  } catch (error) {
    // Whether bd has written is not known: what it has, it is told to give back when it can be reached.
    letGo(link, claims, { giveBackAs: want.by })
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
 * What bd refuses is asked for once more: it refuses what another write of the same moment got in the way of, and two
 * closes at once can leave it believing that their dependent still waits, where it can be told to look again.
 */
async function mend(link: Link): Promise<void> {
  if ((await link.bd.features()).recomputes) await link.call({ argv: ['recompute-blocked'], by: 'fleet' })
}

function letGo(link: Link, claims: readonly Claim[], how: { giveBackAs?: string } = {}): void {
  const { db } = link
  db.write(() => {
    for (const { id, by, token } of claims) {
      acquit(db, id)
      db.sql(
        `update task set status = 'open', assignee = '', lease_until = null, claim_token = claim_token + 1
         where id = ? and claim_token = ?`,
      ).run(id, token)
      if (how.giveBackAs === undefined) continue
      link.owe(id, [giveBack([id], how.giveBackAs)], [OPEN, handsOf({ status: 'in_progress', assignee: by })])
      link.leave([id])
    }
  })
}

function putOff({ db }: Link, claims: readonly Claim[], until: number): void {
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

/** As whom supervisors of this home are known: what bd shows in such hands and no lease covers is given back. */
export function rememberClaimer({ db }: Link, by: string): void {
  const known = stateOf(db, 'claimers').split('\n')
  if (known.includes(by)) return
  setState(db, 'claimers', [...known.filter((name) => name !== ''), by].join('\n'))
  expireUnleased(db, by)
}

function union<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> {
  return new Set([...a, ...b])
}
