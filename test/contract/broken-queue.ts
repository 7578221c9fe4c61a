import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { Candidate, Claim, Queue } from '../../src/ports/queue.ts'

/** Direct access to the store behind a broken queue. */
export interface Bare {
  readonly db: DatabaseSyncInstance
  now(): number
}

/** Faults that a queue can have, each planted in an otherwise correct queue. */
export const FAULTS = {
  'grants a task twice when two claim at once': claimsWithoutCondition,
  'claims the newest first': (queue, bare) => ({
    claim: (want) => claimInOrder(queue, bare, { want, order: 'priority, created_at desc, seq desc' }),
  }),
  'ignores priority': (queue, bare) => ({
    claim: (want) => claimInOrder(queue, bare, { want, order: 'created_at, seq' }),
  }),
  'claims epics': (queue, bare) => ({
    async claim(want) {
      bare.db.exec(`update task set issue_type = 'task' where issue_type = 'epic'`)
      return await queue.claim(want)
    },
  }),
  'claims held-up tasks': (queue, bare) => ({
    async claim(want) {
      bare.db.exec('update task set is_blocked = 0')
      return await queue.claim(want)
    },
  }),
  'forgets a deferral': (queue, bare) => ({
    async claim(want) {
      bare.db.exec('update task set hold_until = null')
      return await queue.claim(want)
    },
  }),
  'takes over expired leases when it claims': (queue) => ({
    async claim(want) {
      await queue.reclaimExpired()
      return await queue.claim(want)
    },
  }),
  'claims in two steps': claimsInTwoSteps,
  'settles for any token': (queue, bare) => ({
    settle: async (claim, next) => await queue.settle(await withCurrentToken(bare, claim), next),
  }),
  'renews for any token': (queue, bare) => ({
    renew: async (claim, leaseMs) => await queue.renew(await withCurrentToken(bare, claim), leaseMs),
  }),
  'decides about a blocked task for any token': (queue, bare) => ({
    settleBlocked: async (claim, next, labels) =>
      await queue.settleBlocked(await withCurrentToken(bare, claim), next, labels),
  }),
  'keeps the label of a task that is no longer blocked': (queue) => ({
    settleBlocked: (claim, next) => queue.settleBlocked(claim, next, { remove: [] }),
  }),
  'decides about a blocked task whatever it waits for': (queue, bare) => ({
    settleBlocked(claim, next, labels) {
      const label = bare.db.prepare('insert or ignore into label (task, label) values (?, ?)')
      for (const each of labels.remove) label.run(claim.id, each)
      return queue.settleBlocked(claim, next, labels)
    },
  }),
  'frees no dependents of a blocked task that it closes': (queue, bare) => ({
    async settleBlocked(claim, next, labels) {
      const held = bare.db.prepare('select id from task where is_blocked = 1').all() as { id: string }[]
      const done = await queue.settleBlocked(claim, next, labels)
      for (const task of held) bare.db.prepare('update task set is_blocked = 1 where id = ?').run(task.id)
      return done
    },
  }),
  'reports a settlement that it did not make': (queue) => ({
    async settle(claim, next) {
      await queue.settle(claim, next)
      return true
    },
  }),
  'forgets to extend a lease': () => ({ renew: async () => true }),
  'reopens an expired task without a new token': (queue, bare) => ({
    async reclaimExpired() {
      const ids = await queue.reclaimExpired()
      // The next claim raises it to the token that the old holder still has.
      for (const id of ids) bare.db.prepare('update task set claim_token = claim_token - 2 where id = ?').run(id)
      return ids
    },
  }),
  "lets a person's claim expire": (queue, bare) => ({
    async take(id, by) {
      const result = await queue.take(id, by)
      bare.db.prepare('update task set lease_until = ? where id = ?').run(bare.now() + 60_000, id)
      return result
    },
  }),
  'lets two people take the same task at once': takesWithoutCondition,
  'closes a task without freeing its dependents': (queue, bare) => ({
    async close(id, how, by) {
      const held = bare.db.prepare('select id from task where is_blocked = 1').all() as { id: string }[]
      const result = await queue.close(id, how, by)
      for (const task of held) bare.db.prepare('update task set is_blocked = 1 where id = ?').run(task.id)
      return result
    },
  }),
  'loses a dependent when its two blockers close at once': closesOnAnOldView,
  'leaves the supervisor its claim when a person closes the task': (queue, bare) => ({
    async close(id, how, by) {
      const held = 'select claim_token as token, lease_until as lease, assignee from task where id = ?'
      const before = bare.db.prepare(held).get(id)
      const result = await queue.close(id, how, by)
      const { token, lease, assignee } = before as { token: number; lease: number | null; assignee: string }
      if (lease === null) return result
      bare.db
        .prepare(
          `update task set status = 'in_progress', closed_at = null, claim_token = ?, lease_until = ?, assignee = ? where id = ?`,
        )
        .run(token, lease, assignee, id)
      return result
    },
  }),
  'accepts a cycle': (queue, bare) => ({
    async addDependency(edge, by) {
      const result = await queue.addDependency(edge, by)
      if (result.kind !== 'cycle') return result
      bare.db
        .prepare(`insert into dependency (issue_id, depends_on_id, type, created_at) values (?, ?, ?, '')`)
        .run(edge.issue_id, edge.depends_on_id, edge.type)
      return { kind: 'added' }
    },
  }),
  'claims tasks that the claimer does not admit': (queue) => ({
    claim: ({ admits: _unasked, ...want }) => queue.claim(want),
  }),
  'stops at the first task that is not admitted': (queue) => ({
    claim(want) {
      let refused = false
      const admits = (task: Candidate) => {
        refused ||= want.admits?.(task) === false
        return !refused
      }
      return queue.claim({ ...want, admits })
    },
  }),
  'hides the metadata of a task from its claimer': (queue) => ({
    claim: (want) => queue.claim({ ...want, admits: ({ id }) => want.admits?.({ id, metadata: {} }) ?? true }),
  }),
  'asks about more tasks than it claims': (queue) => ({
    async claim(want) {
      const admitted = new Set<string>()
      const admits = (task: Candidate) => want.admits?.(task) ?? true
      for (const task of await queue.ready({ limit: 1000 })) if (admits(task)) admitted.add(task.id)
      return await queue.claim({ ...want, admits: ({ id }) => admitted.has(id) })
    },
  }),
  'shares a lock': (queue, bare) => ({
    claim(want) {
      bare.db.prepare(`update task set metadata = replace(metadata, '"lock"', '"free"') where status = 'open'`).run()
      return queue.claim(want)
    },
  }),
  'lets a person wait for a lock': (queue) => ({
    take: async (id, by) =>
      (await queue.locksHeld()).length > 0 ? { kind: 'held', by: 'fleet' } : await queue.take(id, by),
  }),
  'lets a lock be taken by two at once': (queue, bare) => ({
    async claim(want) {
      const held = await queue.locksHeld()
      bare.db.prepare(`update task set lease_until = null where lease_until is not null`).run()
      return held.length > 0 ? [] : await queue.claim(want)
    },
  }),
  'releases a task without its retry delay': (queue) => ({
    settle: (claim, next) => queue.settle(claim, next.to === 'open' ? { to: 'open' } : next),
  }),
  'never ends a retry delay': (queue, bare) => ({
    async settle(claim, next) {
      const settled = await queue.settle(claim, next)
      bare.db.prepare('update task set not_before = not_before + 60000 where id = ?').run(claim.id)
      return settled
    },
  }),
  'never clears a past retry time': (queue, bare) => ({
    async nextRetryAt() {
      const row = bare.db.prepare('select min(not_before) as at from task').get() as { at: number | null }
      return row.at ?? (await queue.nextRetryAt())
    },
  }),
  'reports the retry of a task that is held up': (_queue, bare) => ({
    async nextRetryAt() {
      const sql = 'select min(not_before) as at from task where not_before > ?'
      const row = bare.db.prepare(sql).get(bare.now()) as { at: number | null }
      return row.at ?? undefined
    },
  }),
  'reports no retry': () => ({ nextRetryAt: async () => undefined }),
  'keeps the retry delay of a task that a person reopened': (queue, bare) => ({
    reopen: (id, how, by) => keepingTheWait(bare, id, () => queue.reopen(id, how, by)),
    close: (id, how, by) => keepingTheWait(bare, id, () => queue.close(id, how, by)),
  }),
  'forgets expired claims': (queue, bare) => ({
    async claimsOf(by) {
      const lapsed = bare.db.prepare('select id from task where lease_until < ?').all(bare.now()) as { id: string }[]
      return (await queue.claimsOf(by)).filter((claim) => lapsed.every((task) => task.id !== claim.id))
    },
  }),
  'counts the task of a person as a claim of the supervisor with the same name': (queue, bare) => ({
    async claimsOf(by) {
      const rows = bare.db.prepare(
        `select id, claim_token as token from task where assignee = ? and status <> 'closed'`,
      )
      const held = rows.all(by) as { id: string; token: number }[]
      return (await queue.claimsOf(by)).length === 0 ? [] : held.map((task) => ({ ...task, by }))
    },
  }),
  'returns lost claims': (queue) => {
    const ever = new Map<string, Claim>()
    return {
      async claim(want) {
        const claims = await queue.claim(want)
        for (const claim of claims) ever.set(claim.id, claim)
        return claims
      },
      claimsOf: async (by) => [...ever.values()].filter((claim) => claim.by === by),
    }
  },
  'reclaims a task that was renewed meanwhile': (_queue, { db, now }) => ({
    async reclaimExpired() {
      const lapsed = db.prepare('select id from task where lease_until < ?').all(now()) as { id: string }[]
      for (let i = 0; i < 4; i++) dawdle()
      const reopen = db.prepare(
        `update task set status = 'open', assignee = '', lease_until = null, claim_token = claim_token + 1 where id = ?`,
      )
      for (const task of lapsed) reopen.run(task.id)
      return lapsed.map((task) => task.id)
    },
  }),
} satisfies Record<string, Fault>

export type FaultName = keyof typeof FAULTS
type Fault = (queue: Queue, bare: Bare) => Partial<Queue>

/** `queue` with one fault: methods that the fault does not replace go to the correct queue. */
export function broken(queue: Queue, bare: Bare, fault: FaultName): Queue {
  const wrong = FAULTS[fault](queue, bare) as Partial<Queue>
  return new Proxy(queue, {
    get(target, name) {
      const method = wrong[name as keyof Queue] ?? Reflect.get(target, name, target)
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
}

async function withCurrentToken({ db }: Bare, claim: Claim): Promise<Claim> {
  const row = db.prepare('select claim_token as token from task where id = ?').get(claim.id)
  return { ...claim, token: (row as { token: number }).token }
}

async function keepingTheWait<T>({ db }: Bare, id: string, act: () => Promise<T>): Promise<T> {
  const row = db.prepare('select not_before as wait from task where id = ?').get(id) as { wait: number | null }
  const result = await act()
  db.prepare('update task set not_before = ? where id = ?').run(row.wait, id)
  return result
}

export const DAWDLE_MS = 25

/** Widens the race window of a fault, so that the contract hits it reliably. */
function dawdle(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DAWDLE_MS)
}

const FREE = `select id, claim_token as token from task where status = 'open' and is_blocked = 0 and assignee = ''`
const MARK = `update task set status = 'in_progress', assignee = ?, started_at = updated_at, lease_until = ?, claim_token = ? where id = ?`

/** Reads, then writes without checking that what it read still holds. */
function claimsWithoutCondition(_queue: Queue, { db, now }: Bare): Partial<Queue> {
  return {
    async claim({ by, leaseMs }) {
      const row = db.prepare(`${FREE} order by seq limit 1`).get() as { id: string; token: number } | undefined
      if (row === undefined) return []
      dawdle()
      db.prepare(MARK).run(by, now() + leaseMs, row.token + 1, row.id)
      return [{ id: row.id, by, token: row.token + 1 }]
    },
  }
}

/** Each transaction is correct, but a claim takes two of them. */
function claimsInTwoSteps(_queue: Queue, { db, now }: Bare): Partial<Queue> {
  return {
    async claim({ by, leaseMs }) {
      const row = db.prepare(`${FREE} order by seq limit 1`).get() as { id: string; token: number } | undefined
      if (row === undefined) return []
      db.prepare(MARK).run(by, now() + leaseMs, row.token + 1, row.id)
      dawdle()
      db.prepare(`insert into history (task, at, actor, kind, changes) values (?, '', ?, 'claimed', '{}')`).run(
        row.id,
        by,
      )
      return [{ id: row.id, by, token: row.token + 1 }]
    },
  }
}

function takesWithoutCondition(queue: Queue, { db }: Bare): Partial<Queue> {
  return {
    async take(id, by) {
      const task = await queue.get(id)
      if (task === undefined || task.status !== 'open') return await queue.take(id, by)
      dawdle()
      db.prepare(`update task set status = 'in_progress', assignee = ? where id = ?`).run(by, id)
      return { kind: 'taken', task: { ...task, status: 'in_progress', assignee: by } }
    },
  }
}

/** Decides which dependents a close frees from an old snapshot, like two transactions that do not see each other. */
function closesOnAnOldView(queue: Queue, { db }: Bare): Partial<Queue> {
  const others = `select count(*) as n from dependency d join task b on b.id = d.depends_on_id
    where d.issue_id = ? and d.depends_on_id <> ? and b.status <> 'closed'`
  return {
    async close(id, how, by) {
      const dependents = db.prepare('select issue_id as id from dependency where depends_on_id = ?').all(id) as {
        id: string
      }[]
      const held = dependents.filter((task) => (db.prepare(others).get(task.id, id) as { n: number }).n > 0)
      dawdle()
      const result = await queue.close(id, how, by)
      for (const task of held) db.prepare('update task set is_blocked = 1 where id = ?').run(task.id)
      return result
    },
  }
}

type Want = Parameters<Queue['claim']>[0]

/** Hides all tasks but the first in the wrong order, claims, and restores the others. */
async function claimInOrder(queue: Queue, { db }: Bare, how: { want: Want; order: string }): Promise<readonly Claim[]> {
  const claims: Claim[] = []
  while (claims.length < how.want.limit) {
    const first = db.prepare(`${FREE} order by ${how.order} limit 1`).get() as { id: string } | undefined
    if (first === undefined) break
    db.prepare(`update task set pinned = 9 where pinned = 0 and id <> ?`).run(first.id)
    const claimed = await queue.claim({ ...how.want, limit: 1 })
    db.exec('update task set pinned = 0 where pinned = 9')
    if (claimed.length === 0) break
    claims.push(...claimed)
  }
  return claims
}
