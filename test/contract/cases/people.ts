import { expect } from 'vitest'
import type { Claim } from '../../../src/ports/queue.ts'
import { CLAIMED_WORK, task, WORK } from '../given.ts'
import type { ContractCase } from '../subject.ts'

const MINUTE = 60_000
const id = 'fleet-work'
const HELD_UP = [task('first'), task('then', { dependencies: [{ on: 'fleet-first', type: 'blocks' }] })]

export const peopleCases: readonly ContractCase[] = [
  {
    name: 'a task that a person took is not claimed by others, and they may take it again',
    given: WORK,
    async run({ queue }) {
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
    given: WORK,
    async run({ queue, clock }) {
      await queue.take(id, 'anna')
      clock.millis += 10 * 365 * 24 * 60 * MINUTE
      expect(await queue.reclaimExpired()).toEqual([])
      expect(await queue.get(id)).toMatchObject({ status: 'in_progress', assignee: 'anna' })
    },
  },
  {
    name: 'a task that somebody else holds cannot be taken',
    given: CLAIMED_WORK,
    async run({ queue }, claim) {
      expect(await queue.take(id, 'anna')).toEqual({ kind: 'held', by: 'claimer' })
      await queue.settle(claim, { to: 'open' })
      await queue.take(id, 'anna')
      expect(await queue.take(id, 'bob')).toEqual({ kind: 'held', by: 'anna' })
    },
  },
  {
    name: 'a task that is closed, parked, held up or unknown cannot be taken',
    given: { tasks: [task('closed', { status: 'closed' }), task('parked', { status: 'blocked' }), ...HELD_UP] },
    async run({ queue }) {
      const heldUp = await queue.get('fleet-then')
      expect([
        await queue.take('fleet-closed', 'anna'),
        await queue.take('fleet-parked', 'anna'),
        await queue.take('fleet-then', 'anna'),
        await queue.take('fleet-thenzzz', 'anna'),
      ]).toEqual([
        { kind: 'not-claimable', status: 'closed' },
        { kind: 'not-claimable', status: 'blocked' },
        { kind: 'blocked', by: ['fleet-first'] },
        { kind: 'unknown' },
      ])
      expect(heldUp).toMatchObject({ status: 'open' })
      expect(await queue.get('fleet-then')).toEqual(heldUp)
    },
  },
  {
    name: 'close names what forbids it, and force overrides that',
    given: {
      tasks: [
        ...HELD_UP,
        task('group', { issue_type: 'epic' }),
        { title: 'part', parent: 'fleet-group' },
        task('pinned', { pinned: true }),
      ],
    },
    async run({ queue }) {
      expect([
        await queue.close('fleet-then', {}, 'anna'),
        await queue.close('fleet-group', {}, 'anna'),
        await queue.close('fleet-pinned', {}, 'anna'),
        await queue.close('fleet-group.1zzz', {}, 'anna'),
      ]).toEqual([
        { kind: 'blocked', by: ['fleet-first'] },
        { kind: 'open-children', children: ['fleet-group.1'] },
        { kind: 'pinned' },
        { kind: 'unknown' },
      ])
      for (const each of ['fleet-then', 'fleet-group', 'fleet-pinned']) {
        expect(await queue.close(each, { force: true, reason: 'never mind' }, 'anna')).toMatchObject({
          kind: 'closed',
          task: { id: each, status: 'closed', close_reason: 'never mind' },
        })
      }
    },
  },
  {
    name: 'a task that somebody else holds is closed only by force',
    given: { tasks: [task('held'), task('mine')] },
    async run({ queue }) {
      await queue.take('fleet-held', 'bob')
      expect(await queue.close('fleet-held', {}, 'anna')).toEqual({ kind: 'held', by: 'bob' })
      expect(await queue.get('fleet-held')).toMatchObject({ status: 'in_progress', assignee: 'bob' })
      expect(await queue.close('fleet-held', { force: true }, 'anna')).toMatchObject({ kind: 'closed' })
      await queue.take('fleet-mine', 'anna')
      expect(await queue.close('fleet-mine', {}, 'anna')).toMatchObject({ kind: 'closed' })
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
    given: WORK,
    async run({ queue, clock }) {
      await queue.close(id, { reason: 'done' }, 'anna')
      const closed = await queue.get(id)
      clock.millis += MINUTE
      expect(await queue.close(id, { reason: 'again' }, 'bob')).toEqual({ kind: 'already', task: closed })
      expect(await queue.get(id)).toEqual(closed)
    },
  },
  {
    name: 'reopen opens a closed task, and reports a task that is not closed',
    given: WORK,
    async run({ queue }) {
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
    given: { tasks: [task('settled'), task('running')], claimed: 2 },
    async run({ queue }, settled, running) {
      expect(await queue.settle(settled, { to: 'closed', reason: 'done' })).toBe(true)
      await queue.close((running as Claim).id, { force: true }, 'anna')
      const both = ['fleet-settled', 'fleet-running']
      for (const each of both)
        expect(await queue.reopen(each, {}, 'anna')).toMatchObject({ kind: 'reopened', task: { assignee: '' } })
      const again = await queue.claim({ limit: 2, by: 'claimer', leaseMs: MINUTE })
      expect(again.map((claim) => claim.id)).toEqual(both)
    },
  },
  {
    name: 'a comment on an unknown task is refused',
    given: WORK,
    async run({ queue }) {
      await queue.comment(id, 'seen', 'anna')
      await expect(queue.comment(`${id}zzz`, 'seen', 'anna')).rejects.toThrow(/not found/)
    },
  },
]
