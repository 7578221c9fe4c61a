import fc from 'fast-check'
import { expect } from 'vitest'
import type { TaskRecord } from '../../src/domain/task/interchange.ts'
import { rfc3339 } from '../../src/domain/task/time.ts'
import type { Claim, NextStep, TaskDraft } from '../../src/ports/queue.ts'
import type { TaskStore } from '../../src/ports/task-store.ts'
import type { ModelEdge } from './readiness-model.ts'

const HOUR = 3_600_000

/** A store for random changes, with a manual clock. */
export abstract class Trial {
  readonly clock = { millis: Date.UTC(2026, 0, 1) }
  readonly claims: Claim[] = []
  #made = 0
  abstract readonly queue: TaskStore

  /** In order of arrival. */
  abstract tasks(): readonly { readonly id: string }[]
  abstract edges(): readonly ModelEdge[]

  /** Creates the first tasks: two families, and some without relatives. */
  async begin(): Promise<void> {
    const make = async (more: object) => (await this.create({ title: 'task', ...more })).id
    const parent = await make({})
    await make({ parent: await make({ parent }) })
    const epic = await make({ issue_type: 'epic' })
    for (const _ of ['one', 'two']) await make({ parent: epic })
    for (const _ of ['one', 'two', 'three']) await make({})
  }

  /** Ids are sequential, so that two stores with the same operations have the same ids. */
  async create(draft: TaskDraft) {
    const id = draft.parent === undefined ? { id: `fleet-t${++this.#made}` } : {}
    return await this.queue.create({ ...draft, ...id }, 'maker')
  }

  /** Maps any number to an existing task. */
  pick(n: number): string {
    const tasks = this.tasks()
    return tasks[n % tasks.length]?.id ?? 'none-such'
  }

  later(hours: number | null): string | null {
    return hours === null ? null : rfc3339(this.clock.millis + hours * HOUR)
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

export type Operation = { readonly [K in keyof typeof OPERATIONS]: [name: K, input: Input<K>] }[keyof typeof OPERATIONS]
type Input<K extends keyof typeof OPERATIONS> = (typeof OPERATIONS)[K] extends { input: fc.Arbitrary<infer I> }
  ? I
  : never

function operation<I>(input: fc.Arbitrary<I>, perform: (trial: Trial, input: I) => Promise<unknown>) {
  return { input, perform }
}

/** Everything that can change whether a task is ready. An operation that the store refuses has no effect. */
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
      return await trial.create(draft)
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
    return edge !== undefined && (await trial.queue.removeDependency(edge, 'anna'))
  }),
  remove: operation(fc.uniqueArray(n, { minLength: 1, maxLength: 2 }), (trial, ns) =>
    trial.queue.remove([...new Set(ns.map((n) => trial.pick(n)))], 'anna'),
  ),
  claim: operation(fc.nat(3), async (trial, limit) => {
    const expected = (await trial.queue.ready({ limit: 1000 })).map((task) => task.id).slice(0, limit)
    const claims = await trial.queue.claim({ limit, by: 'claimer', leaseMs: HOUR })
    expect(claims.map((claim) => claim.id)).toEqual(expected)
    trial.claims.push(...claims)
    return claims
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
    return await trial.queue.reclaimExpired()
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
      if (task === undefined) return undefined
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
      return await trial.queue.import([line], {}, 'anna')
    },
  ),
} as const

/** Mostly changes of existing tasks, where mistakes are most likely. */
const WEIGHTS: Partial<Record<keyof typeof OPERATIONS, number>> = {
  link: 12,
  claim: 6,
  settle: 6,
  create: 6,
  remove: 2,
}

export const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  ...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]).map((name) => ({
    weight: WEIGHTS[name] ?? 3,
    arbitrary: fc.tuple(fc.constant(name), OPERATIONS[name].input as fc.Arbitrary<unknown>) as fc.Arbitrary<Operation>,
  })),
)

/** Returns the store's answer; an error by which it refuses the operation is an answer too. */
export async function perform(trial: Trial, [name, input]: Operation): Promise<unknown> {
  const { perform } = OPERATIONS[name] as { perform(trial: Trial, input: unknown): Promise<unknown> }
  try {
    return await perform(trial, input)
  } catch (error) {
    // An invalid parent or dependency undoes the whole change; the store must then be unchanged.
    if (error instanceof Error && /refused|not found|issue ID|priority|already exists/.test(error.message))
      return error.message
    throw error
  }
}
