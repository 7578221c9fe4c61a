import { expect } from 'vitest'
import { rfc3339 } from '../../../src/domain/task/time.ts'
import type { Candidate } from '../../../src/ports/queue.ts'
import { task, WORK } from '../given.ts'
import type { ContractCase } from '../subject.ts'

const MINUTE = 60_000
const want = (by: string, limit = 1) => ({ limit, by, leaseMs: MINUTE })
const THREE = { tasks: ['a', 'b', 'c'].map((name) => task(name)) }
const metadata = { fleet: { coder: 'claude', cwd: '/tmp' } }

export const claimCases: readonly ContractCase[] = [
  {
    name: 'a claim hands a task to one claimer only',
    given: WORK,
    async run({ queue }) {
      const [claim, ...more] = await queue.claim(want('first', 5))
      expect([claim, more]).toEqual([{ id: 'fleet-work', by: 'first', token: expect.any(Number) }, []])
      expect(await queue.claim(want('second'))).toEqual([])
      expect(await queue.claim(want('first'))).toEqual([])
    },
  },
  {
    name: 'two claimers get different tasks',
    given: { tasks: ['a', 'b'].map((name) => task(name)) },
    async run({ queue }) {
      const claims = [...(await queue.claim(want('first'))), ...(await queue.claim(want('second')))]
      expect(claims.map(({ id, by }) => ({ id, by }))).toEqual([
        { id: 'fleet-a', by: 'first' },
        { id: 'fleet-b', by: 'second' },
      ])
    },
  },
  {
    name: 'a claim returns no more tasks than it asked for',
    given: THREE,
    async run({ queue }) {
      expect(await queue.claim(want('claimer', 2))).toHaveLength(2)
      expect(await queue.claim(want('claimer', 2))).toHaveLength(1)
      expect(await queue.claim(want('claimer', 0))).toEqual([])
    },
  },
  {
    name: 'claims come in the order of ready: priority, then oldest, then order of arrival',
    async run({ queue, clock }) {
      const plan: [title: string, priority: number, laterMs: number][] = [
        ['late and low', 4, 0],
        ['first of the middle', 2, 0],
        ['second of the middle', 2, 0],
        ['third of the middle', 2, 5000],
        ['urgent', 0, 5000],
        ['high', 1, 0],
      ]
      for (const [title, priority, laterMs] of plan) {
        clock.millis += laterMs
        await queue.create({ title, priority }, 'maker')
      }
      const order = [
        'urgent',
        'high',
        'first of the middle',
        'second of the middle',
        'third of the middle',
        'late and low',
      ]
      expect((await queue.ready({ limit: 10 })).map(({ title }) => title)).toEqual(order)
      const titles: (string | undefined)[] = []
      for (const limit of [1, 1, 10]) {
        for (const { id } of await queue.claim(want('claimer', limit))) titles.push((await queue.get(id))?.title)
      }
      expect(titles).toEqual(order)
    },
  },
  {
    name: 'a claimed task names its holder and start time, and is not ready',
    given: WORK,
    async run({ queue, clock }) {
      clock.millis += MINUTE
      await queue.claim(want('claimer'))
      const work = await queue.get('fleet-work')
      expect(work).toMatchObject({ status: 'in_progress', assignee: 'claimer' })
      expect(Date.parse(work?.started_at ?? '')).toBe(clock.millis)
      expect(await queue.ready({ limit: 10 })).toEqual([])
    },
  },
  {
    name: 'an epic is never claimed, but its children are',
    given: {
      tasks: [task('all', { issue_type: 'epic', priority: 0 }), { title: 'part', parent: 'fleet-all', priority: 4 }],
    },
    async run({ queue }) {
      expect((await queue.ready({ limit: 10 })).map(({ id }) => id)).toEqual(['fleet-all.1'])
      expect((await queue.claim(want('claimer', 10))).map(({ id }) => id)).toEqual(['fleet-all.1'])
    },
  },
  {
    name: 'only open tasks without an assignee are claimed',
    given: {
      tasks: [
        ...['blocked', 'deferred', 'in_progress', 'closed', 'review'].map((status, i) => task(`s${i}`, { status })),
        task('assigned', { assignee: 'anna' }),
        task('pinned', { pinned: true }),
        task('template', { is_template: true }),
      ],
    },
    async run({ queue }) {
      expect(await queue.claim(want('claimer', 10))).toEqual([])
    },
  },
  {
    name: 'a deferred task is claimed only once its date has come',
    async run({ queue, clock }) {
      const defer_until = rfc3339(clock.millis + 60 * MINUTE)
      const { id } = await queue.create({ title: 'later', defer_until }, 'maker')
      clock.millis += 59 * MINUTE
      expect([await queue.ready({ limit: 10 }), await queue.claim(want('claimer'))]).toEqual([[], []])
      clock.millis += MINUTE
      expect((await queue.claim(want('claimer'))).map((claim) => claim.id)).toEqual([id])
    },
  },
  {
    name: 'a deferral ends at its date; without a date it does not end by itself',
    async run({ queue, clock }) {
      const until = rfc3339(clock.millis + MINUTE)
      await queue.create({ title: 'for good', status: 'deferred' }, 'maker')
      const { id } = await queue.create({ title: 'for a minute', status: 'deferred', defer_until: until }, 'maker')
      expect(await queue.claim(want('claimer', 10))).toEqual([])
      clock.millis += MINUTE
      expect(await queue.ready({ limit: 10 })).toMatchObject([{ id, status: 'open', defer_until: null }])
      const [claim] = await queue.claim(want('claimer', 10))
      expect(claim?.id).toBe(id)
      if (claim !== undefined) await queue.settle(claim, { to: 'deferred', until: rfc3339(clock.millis + MINUTE) })
      expect(await queue.take(id, 'anna')).toMatchObject({ kind: 'not-claimable' })
      clock.millis += MINUTE
      expect(await queue.take(id, 'anna')).toMatchObject({ kind: 'taken', task: { status: 'in_progress' } })
    },
  },
  {
    name: 'admits is called for ready tasks in order, and a task it refuses stays ready for other claimers',
    given: {
      tasks: [
        task('low', { priority: 4, metadata }),
        task('high', { priority: 0 }),
        task('middle', { metadata }),
        task('held-up', { dependencies: [{ on: 'fleet-low', type: 'blocks' }] }),
      ],
    },
    async run({ queue }) {
      const high = await queue.get('fleet-high')
      const asked: unknown[] = []
      const admits = (candidate: Candidate) => {
        asked.push(candidate)
        return candidate.id !== 'fleet-high'
      }
      const claims = await queue.claim({ ...want('picky', 10), admits })
      expect(claims.map((claim) => claim.id)).toEqual(['fleet-middle', 'fleet-low'])
      expect(asked).toEqual([
        { id: 'fleet-high', metadata: {} },
        { id: 'fleet-middle', metadata },
        { id: 'fleet-low', metadata },
      ])
      expect(await queue.get('fleet-high')).toEqual(high)
      expect((await queue.claim(want('second', 10))).map((claim) => claim.id)).toEqual(['fleet-high'])
    },
  },
  {
    name: 'admits is not called again once the limit is reached',
    given: THREE,
    async run({ queue }) {
      let asked = 0
      const admits = () => ++asked !== 1
      expect(await queue.claim({ ...want('picky', 0), admits })).toEqual([])
      expect([await queue.claim({ ...want('picky', 1), admits }), asked]).toMatchObject([[{ by: 'picky' }], 2])
    },
  },
]
