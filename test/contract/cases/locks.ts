import { expect } from 'vitest'
import { task } from '../given.ts'
import type { ContractCase } from '../subject.ts'

const MINUTE = 60_000
const want = (by: string, limit = 1) => ({ limit, by, leaseMs: MINUTE })
const locked = (name: string, lock: string, more = {}) => task(name, { metadata: { fleet: { lock } }, ...more })
const ids = (claims: readonly { id: string }[]) => claims.map(({ id }) => id)

export const lockCases: readonly ContractCase[] = [
  {
    name: 'tasks that share a lock are claimed one after another, and others meanwhile',
    given: { tasks: [locked('a', 'db,gpu'), locked('b', 'gpu'), locked('c', 'net'), task('d')] },
    async run({ queue, clock }) {
      const admits = () => true
      const [first, ...others] = await queue.claim({ ...want('first', 10), admits })
      expect(ids([first ?? { id: '' }, ...others])).toEqual(['fleet-a', 'fleet-c', 'fleet-d'])
      expect(await queue.locksHeld()).toEqual([
        { lock: 'db', task: 'fleet-a', by: 'first' },
        { lock: 'gpu', task: 'fleet-a', by: 'first' },
        { lock: 'net', task: 'fleet-c', by: 'first' },
      ])
      expect(await queue.claim({ ...want('second', 10), admits })).toEqual([])
      expect(await queue.claim(want('second'))).toEqual([])
      if (first !== undefined) await queue.settle(first, { to: 'closed', reason: 'done' })
      expect(ids(await queue.claim(want('second')))).toEqual(['fleet-b'])
      // A lease that has expired still holds the lock, until the task is taken from its holder.
      clock.millis += 2 * MINUTE
      expect((await queue.locksHeld()).map(({ lock }) => lock)).toEqual(['gpu', 'net'])
      expect((await queue.reclaimExpired()).toSorted()).toEqual(['fleet-b', 'fleet-c', 'fleet-d'])
      expect(await queue.locksHeld()).toEqual([])
    },
  },
  {
    name: 'of tasks that share a lock, claims made at the same moment get one',
    given: { tasks: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => locked(name, 'db')) },
    async run({ queue }) {
      const claimers = ['1', '2', '3', '4', '5', '6']
      const admitting = (by: string) =>
        queue.claim({ ...want(by), admits: ({ id }) => id === `fleet-${'abcdef'[+by - 1]}` })
      expect((await Promise.all(claimers.map(admitting))).flat()).toHaveLength(1)
      expect(await queue.locksHeld()).toHaveLength(1)
    },
  },
  {
    name: "a person's claim neither waits for a lock nor holds one",
    given: { tasks: [locked('a', 'db'), locked('b', 'db'), locked('c', 'db')] },
    async run({ queue }) {
      expect(await queue.take('fleet-a', 'anna')).toMatchObject({ kind: 'taken' })
      expect(await queue.locksHeld()).toEqual([])
      expect(ids(await queue.claim(want('claimer', 2)))).toEqual(['fleet-b'])
      expect(await queue.take('fleet-c', 'anna')).toMatchObject({ kind: 'taken' })
    },
  },
]
