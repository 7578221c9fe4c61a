import { expect } from 'vitest'
import { rfc3339 } from '../../../src/domain/task/time.ts'
import type { Claim, NextStep, Queue } from '../../../src/ports/queue.ts'
import { task } from '../given.ts'
import type { ContractCase } from '../subject.ts'

const MINUTE = 60_000
const want = { limit: 100, by: 'claimer', leaseMs: MINUTE }

/** The tasks that a claim would hand out. It admits none of them, so that nothing changes. */
async function offered(queue: Queue): Promise<string[]> {
  const ids: string[] = []
  const admits = ({ id }: { id: string }) => {
    ids.push(id)
    return false
  }
  expect(await queue.claim({ ...want, admits })).toEqual([])
  return ids
}

/** The tasks that a claim hands out. */
const handedOut = async (queue: Queue) => (await queue.claim(want)).map((claim) => claim.id)

const make = async (queue: Queue, title: string, more: Parameters<Queue['create']>[0] | object = {}) =>
  (await queue.create({ title, ...more }, 'maker')).id

const blocksOn = (...names: string[]) => ({
  dependencies: names.map((name) => ({ on: `fleet-${name}`, type: 'blocks' })),
})

/** Ways in which a claim of a blocker can end, other than as closed. */
const NOT_CLOSED: readonly ((now: number) => NextStep)[] = [
  () => ({ to: 'blocked' }),
  (now) => ({ to: 'deferred', until: rfc3339(now + MINUTE) }),
  () => ({ to: 'open' }),
]

const OTHER_TYPES = ['related', 'discovered-from', 'duplicates', 'tracks', 'until', 'validates', 'of-my-own']

export const readinessCases: readonly ContractCase[] = [
  {
    name: 'a task with an open blocker is not claimed',
    given: { tasks: [task('first'), task('then', blocksOn('first'))] },
    async run({ queue }) {
      expect((await queue.ready({ limit: 10 })).map(({ id }) => id)).toEqual(['fleet-first'])
      expect(await handedOut(queue)).toEqual(['fleet-first'])
    },
  },
  {
    name: 'a blocker holds its dependents up until it is closed, whatever else happens to it',
    given: {
      tasks: NOT_CLOSED.flatMap((_, n) => [
        task(`first${n}`, { priority: 0 }),
        task(`then${n}`, blocksOn(`first${n}`)),
      ]),
      claimed: NOT_CLOSED.length,
    },
    async run({ queue, clock }, ...claims) {
      expect(claims.map(({ id }) => id)).toEqual(NOT_CLOSED.map((_, n) => `fleet-first${n}`))
      const free = async () => (await queue.ready({ limit: 10 })).map(({ id }) => id).filter((id) => /then/.test(id))
      expect(await free()).toEqual([])
      for (const [n, step] of NOT_CLOSED.entries()) {
        const [claim, next] = [claims[n] as Claim, step(clock.millis)]
        expect([next.to, await queue.settle(claim, next), await free()]).toEqual([next.to, true, []])
      }
      for (const [n, { id }] of claims.entries()) {
        await queue.close(id, {}, 'anna')
        expect(await free()).toEqual(NOT_CLOSED.slice(0, n + 1).map((_, m) => `fleet-then${m}`))
      }
    },
  },
  {
    name: 'the last of two blockers to close frees the dependent, whoever closes it',
    given: {
      tasks: [task('one', { priority: 0 }), task('two'), task('both', blocksOn('one', 'two'))],
      claimed: 1,
    },
    async run({ queue }, one) {
      expect(await queue.settle(one, { to: 'closed', reason: 'done' })).toBe(true)
      expect(await offered(queue)).toEqual(['fleet-two'])
      await queue.close('fleet-two', {}, 'anna')
      expect(await handedOut(queue)).toEqual(['fleet-both'])
    },
  },
  {
    name: 'the tasks of a chain become ready one by one',
    given: { tasks: [task('a'), task('b', blocksOn('a')), task('c', blocksOn('b'))] },
    async run({ queue }) {
      const done: string[] = []
      for (;;) {
        const [claim, second] = await queue.claim({ limit: 2, by: 'claimer', leaseMs: MINUTE })
        if (claim === undefined) break
        expect(second).toBeUndefined()
        await queue.settle(claim, { to: 'closed', reason: 'done' })
        done.push(claim.id)
      }
      expect(done).toEqual(['fleet-a', 'fleet-b', 'fleet-c'])
    },
  },
  {
    name: 'a reopened blocker holds its dependents up again',
    given: { tasks: [task('first'), task('then', blocksOn('first'))] },
    async run({ queue }) {
      await queue.close('fleet-first', {}, 'anna')
      expect(await offered(queue)).toEqual(['fleet-then'])
      await queue.reopen('fleet-first', {}, 'anna')
      expect(await handedOut(queue)).toEqual(['fleet-first'])
    },
  },
  {
    name: 'all descendants of a held-up task are held up with it and freed with it',
    given: {
      tasks: [
        task('first'),
        task('parent', blocksOn('first')),
        { title: 'child', parent: 'fleet-parent' },
        { title: 'grandchild', parent: 'fleet-parent.1' },
      ],
    },
    async run({ queue }) {
      expect(await offered(queue)).toEqual(['fleet-first'])
      await queue.close('fleet-first', {}, 'anna')
      expect(await handedOut(queue)).toEqual(['fleet-parent', 'fleet-parent.1', 'fleet-parent.1.1'])
    },
  },
  {
    name: 'a parent that becomes held up later also holds up its existing children',
    given: { tasks: [task('parent'), { title: 'child', parent: 'fleet-parent' }, task('first')] },
    async run({ queue }) {
      expect(await offered(queue)).toEqual(['fleet-parent', 'fleet-parent.1', 'fleet-first'])
      await queue.addDependency({ issue_id: 'fleet-parent', depends_on_id: 'fleet-first', type: 'blocks' }, 'anna')
      expect(await handedOut(queue)).toEqual(['fleet-first'])
    },
  },
  {
    name: 'a held-up task that is closed no longer holds up its children',
    given: { tasks: [task('parent', { priority: 0 }), { title: 'child', parent: 'fleet-parent' }], claimed: 1 },
    async run({ queue }, claim) {
      const blocker = await make(queue, 'found while working', { priority: 4 })
      await queue.addDependency({ issue_id: claim.id, depends_on_id: blocker, type: 'blocks' }, 'anna')
      expect(await offered(queue)).toEqual([blocker])
      await queue.settle(claim, { to: 'closed', reason: 'done' })
      expect(await handedOut(queue)).toEqual(['fleet-parent.1', blocker])
    },
  },
  {
    name: 'the children of a deferred task are deferred with it',
    async run({ queue, clock }) {
      const parent = await make(queue, 'parent', { defer_until: rfc3339(clock.millis + MINUTE) })
      const child = await make(queue, 'child', { parent })
      expect(await offered(queue)).toEqual([])
      clock.millis += MINUTE
      expect(await offered(queue)).toEqual([parent, child])
      const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })
      if (claim === undefined) throw new Error('nothing was handed out')
      await queue.settle(claim, { to: 'deferred', until: rfc3339(clock.millis + MINUTE) })
      expect(await offered(queue)).toEqual([])
      clock.millis += MINUTE
      expect(await handedOut(queue)).toEqual([claim.id, child])
    },
  },
  {
    name: 'a task that waits for a group is claimed when the last task of the group is closed',
    given: {
      tasks: [
        task('group', { issue_type: 'epic' }),
        { title: 'one', parent: 'fleet-group' },
        { title: 'two', parent: 'fleet-group' },
        task('after', { dependencies: [{ on: 'fleet-group', type: 'waits-for' }] }),
      ],
    },
    async run({ queue }) {
      expect(await offered(queue)).toEqual(['fleet-group.1', 'fleet-group.2'])
      await queue.close('fleet-group.1', {}, 'anna')
      expect(await offered(queue)).toEqual(['fleet-group.2'])
      await queue.close('fleet-group.2', {}, 'anna')
      expect(await handedOut(queue)).toEqual(['fleet-after'])
      const [after] = await queue.claimsOf('claimer')
      await queue.settle(after as Claim, { to: 'open' })
      await make(queue, 'three', { parent: 'fleet-group' })
      expect(await offered(queue)).toEqual(['fleet-group.3'])
    },
  },
  {
    name: 'other dependency types hold nothing up',
    given: {
      tasks: [task('one'), ...OTHER_TYPES.map((type) => task(type, { dependencies: [{ on: 'fleet-one', type }] }))],
    },
    async run({ queue }) {
      expect(await handedOut(queue)).toEqual(['fleet-one', ...OTHER_TYPES.map((type) => `fleet-${type}`)])
    },
  },
]
