import { expect } from 'vitest'
import { rfc3339 } from '../../../src/domain/task/time.ts'
import type { NextStep, Queue } from '../../../src/ports/queue.ts'
import type { ContractCase } from '../subject.ts'

const MINUTE = 60_000

async function handedOut(queue: Queue): Promise<string[]> {
  const claims = await queue.claim({ limit: 100, by: 'claimer', leaseMs: MINUTE })
  for (const claim of claims) await queue.settle(claim, { to: 'open' })
  return claims.map((claim) => claim.id)
}

const make = async (queue: Queue, title: string, more: Parameters<Queue['create']>[0] | object = {}) =>
  (await queue.create({ title, ...more }, 'maker')).id

const blocksOn = (...ids: string[]) => ({ dependencies: ids.map((on) => ({ on, type: 'blocks' })) })

export const readinessCases: readonly ContractCase[] = [
  {
    name: 'a task with an open blocker is not claimed',
    async run({ queue }) {
      const blocker = await make(queue, 'first')
      await make(queue, 'then', blocksOn(blocker))
      expect((await queue.ready({ limit: 10 })).map((task) => task.id)).toEqual([blocker])
      expect(await handedOut(queue)).toEqual([blocker])
    },
  },
  {
    name: 'a blocker holds its dependents up until it is closed, whatever else happens to it',
    async run({ queue, clock }) {
      const until = rfc3339(clock.millis + MINUTE)
      const steps: NextStep[] = [{ to: 'blocked' }, { to: 'deferred', until }, { to: 'open' }]
      for (const step of steps) {
        const blocker = await make(queue, 'first', { priority: 0 })
        const dependent = await make(queue, 'then', blocksOn(blocker))
        const held = async () => !(await queue.ready({ limit: 10 })).some((task) => task.id === dependent)
        const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })
        if (claim === undefined) throw new Error('the blocker was not handed out')
        expect([claim.id, await held()]).toEqual([blocker, true])
        await queue.settle(claim, step)
        expect([step.to, await held()]).toEqual([step.to, true])
        await queue.close(blocker, {}, 'anna')
        expect([step.to, await held()]).toEqual([step.to, false])
        await queue.close(dependent, {}, 'anna')
      }
    },
  },
  {
    name: 'the last of two blockers to close frees the dependent, whoever closes it',
    async run({ queue }) {
      const one = await make(queue, 'one', { priority: 0 })
      const two = await make(queue, 'two')
      const dependent = await make(queue, 'both', blocksOn(one, two))
      const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })
      if (claim === undefined) throw new Error('nothing was handed out')
      expect(await queue.settle(claim, { to: 'closed', reason: 'done' })).toBe(true)
      expect(await handedOut(queue)).toEqual([two])
      await queue.close(two, {}, 'anna')
      expect(await handedOut(queue)).toEqual([dependent])
    },
  },
  {
    name: 'the tasks of a chain become ready one by one',
    async run({ queue }) {
      const chain: string[] = []
      for (const title of ['a', 'b', 'c', 'd']) chain.push(await make(queue, title, blocksOn(...chain.slice(-1))))
      const done: string[] = []
      for (;;) {
        const [claim, second] = await queue.claim({ limit: 2, by: 'claimer', leaseMs: MINUTE })
        if (claim === undefined) break
        expect(second).toBeUndefined()
        await queue.settle(claim, { to: 'closed', reason: 'done' })
        done.push(claim.id)
      }
      expect(done).toEqual(chain)
    },
  },
  {
    name: 'a reopened blocker holds its dependents up again',
    async run({ queue }) {
      const blocker = await make(queue, 'first')
      const dependent = await make(queue, 'then', blocksOn(blocker))
      await queue.close(blocker, {}, 'anna')
      expect(await handedOut(queue)).toEqual([dependent])
      await queue.reopen(blocker, {}, 'anna')
      expect(await handedOut(queue)).toEqual([blocker])
    },
  },
  {
    name: 'all descendants of a held-up task are held up with it and freed with it',
    async run({ queue }) {
      const blocker = await make(queue, 'first')
      const parent = await make(queue, 'parent', blocksOn(blocker))
      const child = await make(queue, 'child', { parent })
      const grandchild = await make(queue, 'grandchild', { parent: child })
      expect(await handedOut(queue)).toEqual([blocker])
      await queue.close(blocker, {}, 'anna')
      expect(await handedOut(queue)).toEqual([parent, child, grandchild])
    },
  },
  {
    name: 'a parent that becomes held up later also holds up its existing children',
    async run({ queue }) {
      const parent = await make(queue, 'parent')
      const child = await make(queue, 'child', { parent })
      const blocker = await make(queue, 'first')
      expect(await handedOut(queue)).toEqual([parent, child, blocker])
      await queue.addDependency({ issue_id: parent, depends_on_id: blocker, type: 'blocks' }, 'anna')
      expect(await handedOut(queue)).toEqual([blocker])
    },
  },
  {
    name: 'a held-up task that is closed no longer holds up its children',
    async run({ queue }) {
      const parent = await make(queue, 'parent', { priority: 0 })
      const child = await make(queue, 'child', { parent })
      const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })
      if (claim === undefined) throw new Error('nothing was handed out')
      const blocker = await make(queue, 'found while working', { priority: 4 })
      await queue.addDependency({ issue_id: parent, depends_on_id: blocker, type: 'blocks' }, 'anna')
      expect(await handedOut(queue)).toEqual([blocker])
      await queue.settle(claim, { to: 'closed', reason: 'done' })
      expect(await handedOut(queue)).toEqual([child, blocker])
    },
  },
  {
    name: 'the children of a deferred task are deferred with it',
    async run({ queue, clock }) {
      const parent = await make(queue, 'parent', { defer_until: rfc3339(clock.millis + MINUTE) })
      const child = await make(queue, 'child', { parent })
      expect(await handedOut(queue)).toEqual([])
      clock.millis += MINUTE
      expect(await handedOut(queue)).toEqual([parent, child])
      const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })
      if (claim === undefined) throw new Error('nothing was handed out')
      await queue.settle(claim, { to: 'deferred', until: rfc3339(clock.millis + MINUTE) })
      expect(await handedOut(queue)).toEqual([])
      clock.millis += MINUTE
      expect(await handedOut(queue)).toEqual([claim.id, child])
    },
  },
  {
    name: 'a task that waits for a group is claimed when the last task of the group is closed',
    async run({ queue }) {
      const epic = await make(queue, 'group', { issue_type: 'epic' })
      const one = await make(queue, 'one', { parent: epic })
      const two = await make(queue, 'two', { parent: epic })
      const after = await make(queue, 'after', { dependencies: [{ on: epic, type: 'waits-for' }] })
      expect(await handedOut(queue)).toEqual([one, two])
      await queue.close(one, {}, 'anna')
      expect(await handedOut(queue)).toEqual([two])
      await queue.close(two, {}, 'anna')
      expect(await handedOut(queue)).toEqual([after])
      const three = await make(queue, 'three', { parent: epic })
      expect(await handedOut(queue)).toEqual([three])
    },
  },
  {
    name: 'other dependency types hold nothing up',
    async run({ queue }) {
      const one = await make(queue, 'one')
      const all = [one]
      for (const type of ['related', 'discovered-from', 'duplicates', 'tracks', 'until', 'validates', 'of-my-own']) {
        all.push(await make(queue, type, { dependencies: [{ on: one, type }] }))
      }
      expect(await handedOut(queue)).toEqual(all)
    },
  },
]
