import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TaskRecord } from '../../src/domain/interchange.ts'
import { rfc3339 } from '../../src/domain/time.ts'
import type { Database } from '../../src/platform/sqlite.ts'
import type { Claim, NextStep, TaskDraft } from '../../src/ports/queue.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../src/queues/sqlite/queue.ts'
import { type ModelEdge, type ModelTask, readinessOf } from '../support/readiness-model.ts'

const HOUR = 3_600_000

class Trial implements AsyncDisposable {
  readonly clock = { millis: Date.UTC(2026, 0, 1) }
  readonly #db: Database = openStore({ path: ':memory:', create: true })
  readonly queue = new SqliteQueue(this.#db, { clock: { now: () => this.clock.millis } })
  readonly claims: Claim[] = []

  /** A few tasks to begin with: two families, and some on their own. */
  static async start(): Promise<Trial> {
    const trial = new Trial()
    const make = async (more: object) => (await trial.queue.create({ title: 'task', ...more }, 'maker')).id
    const parent = await make({})
    await make({ parent: await make({ parent }) })
    const epic = await make({ issue_type: 'epic' })
    for (const _ of ['one', 'two']) await make({ parent: epic })
    for (const _ of ['one', 'two', 'three']) await make({})
    return trial
  }

  tasks(): ModelTask[] {
    return this.#db.sql<ModelTask & { seq: number }>('select * from task order by seq').all()
  }

  edges(): ModelEdge[] {
    return this.#db.sql<ModelEdge & { metadata: string }>('select * from dependency').all()
  }

  /** One of the tasks there are, by any number. */
  pick(n: number): string {
    const tasks = this.tasks()
    return tasks[n % tasks.length]?.id ?? 'none-such'
  }

  later(hours: number | null): string | null {
    return hours === null ? null : rfc3339(this.clock.millis + hours * HOUR)
  }

  async check(): Promise<void> {
    const tasks = this.#db
      .sql<ModelTask & { seq: number; is_blocked: number; hold_until: string | null }>(
        'select * from task order by seq',
      )
      .all()
    const { blocked, heldUntil, ready } = readinessOf(tasks, this.edges())
    const stored = tasks.map((task) => [task.id, task.is_blocked === 1, task.hold_until])
    expect(stored).toEqual(tasks.map(({ id }) => [id, blocked(id), heldUntil(id)]))
    const now = rfc3339(this.clock.millis)
    expect((await this.queue.ready({ limit: 1000 })).map((task) => task.id)).toEqual(ready(now))
    const held = await this.queue.blocked({})
    expect(held.map(({ task }) => task.id).sort()).toEqual(
      tasks
        .map(({ id }) => id)
        .filter(blocked)
        .sort(),
    )
    expect(held.filter(({ blockedBy }) => blockedBy.length === 0)).toEqual([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queue[Symbol.asyncDispose]()
  }
}

const n = fc.nat(1000)
const linkType = fc.constantFrom(
  'blocks',
  'conditional-blocks',
  'waits-for',
  'parent-child',
  'discovered-from',
  'related',
)
const metadata = fc.constantFrom('{}', '{"gate":"any-children"}', '{"gate":"all-children"}', '{"also_blocks":true}')
const hours = fc.option(fc.integer({ min: -2, max: 5 }))

type Operation = { readonly [K in keyof typeof OPERATIONS]: [name: K, input: Input<K>] }[keyof typeof OPERATIONS]
type Input<K extends keyof typeof OPERATIONS> = (typeof OPERATIONS)[K] extends { input: fc.Arbitrary<infer I> }
  ? I
  : never

function operation<I>(input: fc.Arbitrary<I>, perform: (trial: Trial, input: I) => Promise<unknown>) {
  return { input, perform }
}

/** Everything that can change whether a task is ready. What the store refuses simply does not happen. */
const OPERATIONS = {
  create: operation(
    fc.record({
      parent: fc.option(n),
      links: fc.array(fc.record({ to: n, type: linkType, metadata, reverse: fc.boolean() }), { maxLength: 2 }),
      defer: hours,
      priority: fc.nat(4),
      issue_type: fc.constantFrom('task', 'task', 'bug', 'epic'),
      status: fc.constantFrom('open', 'open', 'open', 'closed', 'blocked'),
    }),
    async (trial, { parent, links, defer, ...fields }) => {
      const draft: TaskDraft = {
        title: 'task',
        ...fields,
        defer_until: trial.later(defer),
        ...(parent === null || trial.tasks().length === 0 ? {} : { parent: trial.pick(parent) }),
        dependencies: links.map(({ to, ...link }) => ({ on: trial.pick(to), ...link })),
      }
      return await trial.queue.create(draft, 'maker')
    },
  ),
  close: operation(fc.record({ n, force: fc.boolean() }), (trial, { n, force }) =>
    trial.queue.close(trial.pick(n), { force }, 'anna'),
  ),
  reopen: operation(n, (trial, n) => trial.queue.reopen(trial.pick(n), {}, 'anna')),
  setStatus: operation(
    fc.record({
      n,
      status: fc.constantFrom('open', 'in_progress', 'blocked', 'deferred', 'pinned', 'closed', 'review'),
    }),
    (trial, { n, status }) => trial.queue.update(trial.pick(n), { status }, 'anna'),
  ),
  assign: operation(fc.record({ n, assignee: fc.constantFrom('', 'anna') }), (trial, { n, assignee }) =>
    trial.queue.update(trial.pick(n), { assignee }, 'anna'),
  ),
  defer: operation(fc.record({ n, hours }), (trial, { n, hours }) =>
    trial.queue.update(trial.pick(n), { defer_until: trial.later(hours) }, 'anna'),
  ),
  reparent: operation(fc.record({ n, to: fc.option(n) }), (trial, { n, to }) =>
    trial.queue.update(trial.pick(n), { parent: to === null ? '' : trial.pick(to) }, 'anna'),
  ),
  link: operation(fc.record({ n, to: n, type: linkType, metadata }), (trial, { n, to, type, metadata }) =>
    trial.queue.addDependency({ issue_id: trial.pick(n), depends_on_id: trial.pick(to), type, metadata }, 'anna'),
  ),
  unlink: operation(n, async (trial, n) => {
    const edges = trial.edges()
    const edge = edges[n % Math.max(1, edges.length)]
    if (edge !== undefined) await trial.queue.removeDependency(edge, 'anna')
  }),
  remove: operation(fc.uniqueArray(n, { minLength: 1, maxLength: 2 }), (trial, ns) =>
    trial.queue.remove([...new Set(ns.map((n) => trial.pick(n)))], 'anna'),
  ),
  claim: operation(fc.nat(3), async (trial, limit) => {
    const expected = (await trial.queue.ready({ limit: 1000 })).map((task) => task.id).slice(0, limit)
    const claims = await trial.queue.claim({ limit, by: 'claimer', leaseMs: HOUR })
    expect(claims.map((claim) => claim.id)).toEqual(expected)
    trial.claims.push(...claims)
  }),
  settle: operation(
    fc.record({ n, to: fc.constantFrom('closed', 'open', 'blocked', 'deferred'), hours: fc.nat(3) }),
    (trial, { n, to, hours }) => {
      const [claim] = trial.claims.splice(n % Math.max(1, trial.claims.length), 1)
      const until = trial.later(hours) ?? ''
      const next: NextStep = to === 'closed' ? { to, reason: 'done' } : to === 'deferred' ? { to, until } : { to }
      return claim === undefined ? Promise.resolve() : trial.queue.settle(claim, next)
    },
  ),
  take: operation(n, (trial, n) => trial.queue.take(trial.pick(n), 'anna')),
  wait: operation(fc.nat(3), async (trial, hours) => {
    trial.clock.millis += hours * HOUR
    await trial.queue.reclaimExpired()
  }),
  import: operation(
    fc.record({
      n,
      status: fc.constantFrom('open', 'closed', 'in_progress'),
      defer: hours,
      links: fc.array(fc.record({ to: n, type: linkType, metadata }), { maxLength: 2 }),
    }),
    async (trial, { n, status, defer, links }) => {
      const task = await trial.queue.get(trial.pick(n))
      if (task === undefined) return
      const at = rfc3339(trial.clock.millis + 1000)
      const edge = { issue_id: task.id, created_at: at, created_by: 'anna', thread_id: '' }
      const line: TaskRecord = {
        ...task,
        status,
        defer_until: trial.later(defer),
        closed_at: status === 'closed' ? at : null,
        updated_at: at,
        comments: [],
        dependencies: links.map(({ to, ...link }) => ({ ...edge, ...link, depends_on_id: trial.pick(to) })),
      }
      await trial.queue.import([line], {}, 'anna')
    },
  ),
} as const

/** Mostly changes of tasks that are there: that is where mistakes are. */
const WEIGHTS: Partial<Record<keyof typeof OPERATIONS, number>> = {
  link: 12,
  claim: 6,
  settle: 6,
  create: 6,
  remove: 2,
}

const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  ...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]).map((name) => ({
    weight: WEIGHTS[name] ?? 3,
    arbitrary: fc.tuple(fc.constant(name), OPERATIONS[name].input as fc.Arbitrary<unknown>) as fc.Arbitrary<Operation>,
  })),
)

test('what is stored about readiness is what the tasks and edges say, after any sequence of changes', {
  timeout: 180_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyOperation, { maxLength: 60, size: 'max' }), async (operations) => {
      await using trial = await Trial.start()
      for (const [name, input] of operations) {
        const { perform } = OPERATIONS[name] as { perform(trial: Trial, input: unknown): Promise<unknown> }
        await perform(trial, input).catch(unlessRefused)
        await trial.check()
      }
    }),
    { numRuns: 150 },
  )
})

/** A parent or dependency that may not be undoes the whole change; the store must then be as it was. */
function unlessRefused(error: unknown): void {
  if (error instanceof Error && /refused|not found|issue ID|priority/.test(error.message)) return
  throw error
}
