import { expect } from 'vitest'
import type { Claim } from '../../../src/ports/queue.ts'
import type { ContractCase } from '../subject.ts'

const MINUTE = 60_000

export const peopleCases: readonly ContractCase[] = [
  {
    name: 'a task that a person took is not claimed by others, and they may take it again',
    async run({ queue }) {
      const { id } = await queue.create({ title: 'work' }, 'maker')
      for (const _ of ['once', 'again']) {
        expect(await queue.take(id, 'anna')).toMatchObject({
          kind: 'taken',
          task: { id, status: 'in_progress', assignee: 'anna' },
        })
      }
      expect(await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })).toEqual([])
    },
  },
  {
    name: "a person's claim never expires",
    async run({ queue, clock }) {
      const { id } = await queue.create({ title: 'work' }, 'maker')
      await queue.take(id, 'anna')
      clock.millis += 10 * 365 * 24 * 60 * MINUTE
      expect(await queue.reclaimExpired()).toEqual([])
      expect(await queue.get(id)).toMatchObject({ status: 'in_progress', assignee: 'anna' })
    },
  },
  {
    name: 'a task that somebody else holds cannot be taken',
    async run({ queue }) {
      const { id } = await queue.create({ title: 'work' }, 'maker')
      const [claim] = await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })
      expect(await queue.take(id, 'anna')).toEqual({ kind: 'held', by: 'claimer' })
      if (claim !== undefined) await queue.settle(claim, { to: 'open' })
      await queue.take(id, 'anna')
      expect(await queue.take(id, 'bob')).toEqual({ kind: 'held', by: 'anna' })
    },
  },
  {
    name: 'a task that is closed, parked, held up or unknown cannot be taken',
    async run({ queue }) {
      const closed = await queue.create({ title: 'closed', status: 'closed' }, 'maker')
      const parked = await queue.create({ title: 'parked', status: 'blocked' }, 'maker')
      const blocker = await queue.create({ title: 'first' }, 'maker')
      const heldUp = await queue.create({ title: 'then', dependencies: [{ on: blocker.id, type: 'blocks' }] }, 'maker')
      expect([
        await queue.take(closed.id, 'anna'),
        await queue.take(parked.id, 'anna'),
        await queue.take(heldUp.id, 'anna'),
        await queue.take(`${heldUp.id}zzz`, 'anna'),
      ]).toEqual([
        { kind: 'not-claimable', status: 'closed' },
        { kind: 'not-claimable', status: 'blocked' },
        { kind: 'blocked', by: [blocker.id] },
        { kind: 'unknown' },
      ])
      expect(await queue.get(heldUp.id)).toEqual(heldUp)
    },
  },
  {
    name: 'close names what forbids it, and force overrides that',
    async run({ queue }) {
      const blocker = await queue.create({ title: 'first' }, 'maker')
      const heldUp = await queue.create({ title: 'then', dependencies: [{ on: blocker.id, type: 'blocks' }] }, 'maker')
      const epic = await queue.create({ title: 'group', issue_type: 'epic' }, 'maker')
      const child = await queue.create({ title: 'part', parent: epic.id }, 'maker')
      const pinned = await queue.create({ title: 'pinned', pinned: true }, 'maker')
      expect([
        await queue.close(heldUp.id, {}, 'anna'),
        await queue.close(epic.id, {}, 'anna'),
        await queue.close(pinned.id, {}, 'anna'),
        await queue.close(`${child.id}zzz`, {}, 'anna'),
      ]).toEqual([
        { kind: 'blocked', by: [blocker.id] },
        { kind: 'open-children', children: [child.id] },
        { kind: 'pinned' },
        { kind: 'unknown' },
      ])
      for (const { id } of [heldUp, epic, pinned]) {
        expect(await queue.close(id, { force: true, reason: 'never mind' }, 'anna')).toMatchObject({
          kind: 'closed',
          task: { id, status: 'closed', close_reason: 'never mind' },
        })
      }
    },
  },
  {
    name: 'a task that somebody else holds is closed only by force',
    async run({ queue }) {
      const held = await queue.create({ title: 'held' }, 'maker')
      await queue.take(held.id, 'bob')
      expect(await queue.close(held.id, {}, 'anna')).toEqual({ kind: 'held', by: 'bob' })
      expect(await queue.get(held.id)).toMatchObject({ status: 'in_progress', assignee: 'bob' })
      expect(await queue.close(held.id, { force: true }, 'anna')).toMatchObject({ kind: 'closed' })
      const mine = await queue.create({ title: 'mine' }, 'maker')
      await queue.take(mine.id, 'anna')
      expect(await queue.close(mine.id, {}, 'anna')).toMatchObject({ kind: 'closed' })
    },
  },
  {
    name: 'a template cannot be closed, even by force',
    async run({ queue }) {
      const template = await queue.create({ title: 'template', is_template: true }, 'maker')
      expect(await queue.close(template.id, { force: true }, 'anna')).toEqual({ kind: 'template' })
      expect(await queue.get(template.id)).toEqual(template)
    },
  },
  {
    name: 'closing twice changes nothing',
    async run({ queue, clock }) {
      const { id } = await queue.create({ title: 'work' }, 'maker')
      await queue.close(id, { reason: 'done' }, 'anna')
      const closed = await queue.get(id)
      clock.millis += MINUTE
      expect(await queue.close(id, { reason: 'again' }, 'bob')).toEqual({ kind: 'already', task: closed })
      expect(await queue.get(id)).toEqual(closed)
    },
  },
  {
    name: 'reopen opens a closed task, and reports a task that is not closed',
    async run({ queue }) {
      const { id } = await queue.create({ title: 'work' }, 'maker')
      expect(await queue.reopen(id, {}, 'anna')).toMatchObject({ kind: 'not-closed', task: { id } })
      await queue.close(id, { reason: 'done' }, 'anna')
      expect(await queue.reopen(id, { reason: 'not done' }, 'anna')).toMatchObject({
        kind: 'reopened',
        task: { id, status: 'open', closed_at: null, close_reason: '' },
      })
      expect(await queue.reopen(`${id}zzz`, {}, 'anna')).toEqual({ kind: 'unknown' })
      expect(await queue.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })).toMatchObject([{ id }])
    },
  },
  {
    name: 'a task that a supervisor held can be claimed again after a person reopens it',
    async run({ queue }) {
      const settled = await queue.create({ title: 'settled' }, 'maker')
      const [done] = await queue.claim({ limit: 1, by: 'supervisor', leaseMs: MINUTE })
      expect(await queue.settle(done as Claim, { to: 'closed', reason: 'done' })).toBe(true)
      const running = await queue.create({ title: 'running' }, 'maker')
      await queue.claim({ limit: 1, by: 'supervisor', leaseMs: MINUTE })
      await queue.close(running.id, { force: true }, 'anna')
      for (const { id } of [settled, running]) {
        expect(await queue.reopen(id, {}, 'anna')).toMatchObject({ kind: 'reopened', task: { assignee: '' } })
        expect(await queue.claim({ limit: 1, by: 'supervisor', leaseMs: MINUTE })).toMatchObject([{ id }])
      }
    },
  },
  {
    name: 'a comment on an unknown task is refused',
    async run({ queue }) {
      const { id } = await queue.create({ title: 'work' }, 'maker')
      await queue.comment(id, 'seen', 'anna')
      await expect(queue.comment(`${id}zzz`, 'seen', 'anna')).rejects.toThrow(/not found/)
    },
  },
]
