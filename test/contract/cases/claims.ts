import { expect } from 'vitest'
import { rfc3339 } from '../../../src/domain/task/time.ts'
import type { Candidate } from '../../../src/ports/queue.ts'
import type { ContractCase } from '../subject.ts'

const MINUTE = 60_000
const want = (by: string, limit = 1) => ({ limit, by, leaseMs: MINUTE })

export const claimCases: readonly ContractCase[] = [
  {
    name: 'a claim hands a task to one claimer only',
    async run({ queue }) {
      const task = await queue.create({ title: 'only one' }, 'maker')
      const [claim, ...more] = await queue.claim(want('first', 5))
      expect([claim, more]).toEqual([{ id: task.id, by: 'first', token: expect.any(Number) }, []])
      expect(await queue.claim(want('second'))).toEqual([])
      expect(await queue.claim(want('first'))).toEqual([])
    },
  },
  {
    name: 'two claimers get different tasks',
    async run({ queue }) {
      const tasks = [await queue.create({ title: 'a' }, 'maker'), await queue.create({ title: 'b' }, 'maker')]
      const claims = [...(await queue.claim(want('first'))), ...(await queue.claim(want('second')))]
      expect(claims.map(({ id, by }) => ({ id, by }))).toEqual([
        { id: tasks[0]?.id, by: 'first' },
        { id: tasks[1]?.id, by: 'second' },
      ])
    },
  },
  {
    name: 'a claim returns no more tasks than it asked for',
    async run({ queue }) {
      for (const title of ['a', 'b', 'c']) await queue.create({ title }, 'maker')
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
      expect((await queue.ready({ limit: 10 })).map((task) => task.title)).toEqual(order)
      const titles: (string | undefined)[] = []
      for (const _ of order) {
        const [claim] = await queue.claim(want('claimer'))
        titles.push((await queue.get(claim?.id ?? ''))?.title)
      }
      expect(titles).toEqual(order)
    },
  },
  {
    name: 'a claimed task names its holder and start time, and is not ready',
    async run({ queue, clock }) {
      const { id } = await queue.create({ title: 'work' }, 'maker')
      clock.millis += MINUTE
      await queue.claim(want('claimer'))
      const task = await queue.get(id)
      expect(task).toMatchObject({ status: 'in_progress', assignee: 'claimer' })
      expect(Date.parse(task?.started_at ?? '')).toBe(clock.millis)
      expect(await queue.ready({ limit: 10 })).toEqual([])
    },
  },
  {
    name: 'an epic is never claimed, but its children are',
    async run({ queue }) {
      const epic = await queue.create({ title: 'all of it', issue_type: 'epic', priority: 0 }, 'maker')
      const child = await queue.create({ title: 'part', parent: epic.id, priority: 4 }, 'maker')
      expect((await queue.ready({ limit: 10 })).map((task) => task.id)).toEqual([child.id])
      expect((await queue.claim(want('claimer', 10))).map((claim) => claim.id)).toEqual([child.id])
    },
  },
  {
    name: 'only open tasks without an assignee are claimed',
    async run({ queue }) {
      for (const status of ['blocked', 'deferred', 'in_progress', 'closed', 'review'])
        await queue.create({ title: status, status }, 'maker')
      await queue.create({ title: 'somebody has it', assignee: 'anna' }, 'maker')
      await queue.create({ title: 'pinned', pinned: true }, 'maker')
      await queue.create({ title: 'template', is_template: true }, 'maker')
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
    async run({ queue }) {
      const metadata = { fleet: { coder: 'claude', cwd: '/tmp' } }
      const low = await queue.create({ title: 'low', priority: 4, metadata }, 'maker')
      const high = await queue.create({ title: 'high', priority: 0 }, 'maker')
      const middle = await queue.create({ title: 'middle', metadata }, 'maker')
      await queue.create({ title: 'held up', dependencies: [{ on: low.id, type: 'blocks' }] }, 'maker')
      const asked: unknown[] = []
      const admits = (task: Candidate) => {
        asked.push(task)
        return task.id !== high.id
      }
      const claims = await queue.claim({ ...want('picky', 10), admits })
      expect(claims.map((claim) => claim.id)).toEqual([middle.id, low.id])
      expect(asked).toEqual([
        { id: high.id, metadata: {} },
        { id: middle.id, metadata },
        { id: low.id, metadata },
      ])
      expect(await queue.get(high.id)).toEqual(high)
      expect((await queue.claim(want('second', 10))).map((claim) => claim.id)).toEqual([high.id])
    },
  },
  {
    name: 'admits is not called again once the limit is reached',
    async run({ queue }) {
      for (const title of ['a', 'b', 'c']) await queue.create({ title }, 'maker')
      let asked = 0
      const admits = () => ++asked !== 1
      expect(await queue.claim({ ...want('picky', 0), admits })).toEqual([])
      expect([await queue.claim({ ...want('picky', 1), admits }), asked]).toMatchObject([[{ by: 'picky' }], 2])
    },
  },
]
