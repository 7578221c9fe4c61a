import { expect } from 'vitest'
import type { Claim, Queue } from '../../../src/ports/queue.ts'
import { CLAIMED_WORK, task, WORK } from '../given.ts'
import type { ContractCase, QueueUnderTest } from '../subject.ts'

const MINUTE = 60_000
const want = { limit: 10, by: 'claimer', leaseMs: MINUTE }

/** Releases a task with a retry time. */
async function spaced(queue: Queue, claim: Claim | undefined, notBefore: number): Promise<void> {
  expect(await queue.settle(claim as Claim, { to: 'open', notBefore })).toBe(true)
}

const later = 'fleet-work'

const ready = async (queue: Queue) => (await queue.ready({ limit: 10 })).map((task) => task.id)
const claimed = async (queue: Queue) => (await queue.claim(want)).map((claim) => claim.id)

/** A person's actions that end a task's retry delay. */
const PERSON: Record<string, (subject: QueueUnderTest, id: string) => Promise<unknown>> = {
  'closes and reopens it': async ({ queue }, id) => {
    await queue.close(id, {}, 'anna')
    await queue.reopen(id, {}, 'anna')
  },
  'sets its status to open': ({ byHand }, id) => byHand.reopen(id),
  'takes it and releases it': async ({ queue, byHand }, id) => {
    expect(await queue.take(id, 'anna')).toMatchObject({ kind: 'taken' })
    await byHand.reopen(id)
  },
}

export const spacingCases: readonly ContractCase[] = [
  {
    name: 'a task released with a retry time is not ready before that time, and is claimed afterwards',
    given: { tasks: [...WORK.tasks, task('other')], claimed: 1 },
    async run({ queue, clock }, claim) {
      await spaced(queue, claim, clock.millis + MINUTE + 1)
      expect(await queue.get(later)).toMatchObject({ status: 'open', assignee: '' })
      clock.millis += MINUTE
      expect(await ready(queue)).toEqual(['fleet-other'])
      expect(await claimed(queue)).toEqual(['fleet-other'])
      clock.millis += 1
      expect(await ready(queue)).toEqual([later])
      expect(await claimed(queue)).toEqual([later])
    },
  },
  {
    name: 'a retry time in the past delays nothing',
    given: CLAIMED_WORK,
    async run({ queue, clock }, claim) {
      await spaced(queue, claim, clock.millis)
      expect(await queue.nextRetryAt()).toBeUndefined()
      expect(await claimed(queue)).toEqual([later])
    },
  },
  ...Object.entries(PERSON).map(([what, act]) => ({
    name: `a person who ${what} ends the retry delay of a task`,
    given: CLAIMED_WORK,
    async run(subject: QueueUnderTest, claim: Claim) {
      const { queue, clock } = subject
      await spaced(queue, claim, clock.millis + 60 * MINUTE)
      await act(subject, later)
      expect([await queue.nextRetryAt(), await ready(queue), await claimed(queue)]).toEqual([
        undefined,
        [later],
        [later],
      ])
    },
  })),
  {
    name: 'setting the clock back does not delay a retry',
    given: CLAIMED_WORK,
    async run({ queue, clock }, claim) {
      await spaced(queue, claim, clock.millis + MINUTE)
      clock.millis -= 60 * MINUTE
      await queue.clockSetBack(60 * MINUTE)
      expect([await queue.nextRetryAt(), await claimed(queue)]).toEqual([clock.millis + MINUTE, []])
      clock.millis += MINUTE
      expect(await claimed(queue)).toEqual([later])
    },
  },
  {
    name: 'nextRetryAt is the earliest time at which a task becomes ready without any other change',
    given: { tasks: [task('held-up'), task('last'), task('first'), task('blocker')], claimed: 3 },
    async run({ queue, clock }, heldUp, last, first) {
      const start = clock.millis
      expect(await queue.nextRetryAt()).toBeUndefined()
      await spaced(queue, heldUp, start + MINUTE)
      expect(await queue.nextRetryAt()).toBe(start + MINUTE)
      await queue.addDependency({ issue_id: heldUp.id, depends_on_id: 'fleet-blocker', type: 'blocks' }, 'maker')
      await spaced(queue, last, start + 5 * MINUTE)
      await spaced(queue, first, start + 2 * MINUTE)
      expect(await queue.nextRetryAt()).toBe(start + 2 * MINUTE)
      clock.millis = start + 2 * MINUTE
      expect(await queue.nextRetryAt()).toBe(start + 5 * MINUTE)
      expect(await ready(queue)).toEqual(['fleet-first', 'fleet-blocker'])
    },
  },
]
