import { expect } from 'vitest'
import type { Queue } from '../../../src/ports/queue.ts'
import type { ContractCase, QueueUnderTest } from '../subject.ts'

const MINUTE = 60_000
const want = { limit: 10, by: 'claimer', leaseMs: MINUTE }

/** A task that was claimed and released with a retry time. */
async function spaced(queue: Queue, title: string, notBefore: number): Promise<string> {
  const { id } = await queue.create({ title }, 'maker')
  const [claim] = await queue.claim({ ...want, admits: (task) => task.id === id })
  if (claim === undefined) throw new Error(`${title} was not handed out`)
  expect(await queue.settle(claim, { to: 'open', notBefore })).toBe(true)
  return id
}

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
    async run({ queue, clock }) {
      const later = await spaced(queue, 'try again later', clock.millis + MINUTE + 1)
      expect(await queue.get(later)).toMatchObject({ status: 'open', assignee: '' })
      const other = await queue.create({ title: 'another' }, 'maker')
      clock.millis += MINUTE
      expect(await ready(queue)).toEqual([other.id])
      expect(await claimed(queue)).toEqual([other.id])
      clock.millis += 1
      expect(await ready(queue)).toEqual([later])
      expect(await claimed(queue)).toEqual([later])
    },
  },
  {
    name: 'a retry time in the past delays nothing',
    async run({ queue, clock }) {
      const id = await spaced(queue, 'at once', clock.millis)
      expect(await queue.nextRetryAt()).toBeUndefined()
      expect(await claimed(queue)).toEqual([id])
    },
  },
  ...Object.entries(PERSON).map(([what, act]) => ({
    name: `a person who ${what} ends the retry delay of a task`,
    async run(subject: QueueUnderTest) {
      const { queue, clock } = subject
      const id = await spaced(queue, 'later', clock.millis + 60 * MINUTE)
      await act(subject, id)
      expect([await queue.nextRetryAt(), await ready(queue), await claimed(queue)]).toEqual([undefined, [id], [id]])
    },
  })),
  {
    name: 'setting the clock back does not delay a retry',
    async run({ queue, clock }) {
      const id = await spaced(queue, 'try again soon', clock.millis + MINUTE)
      clock.millis -= 60 * MINUTE
      await queue.clockSetBack(60 * MINUTE)
      expect([await queue.nextRetryAt(), await claimed(queue)]).toEqual([clock.millis + MINUTE, []])
      clock.millis += MINUTE
      expect(await claimed(queue)).toEqual([id])
    },
  },
  {
    name: 'nextRetryAt is the earliest time at which a task becomes ready without any other change',
    async run({ queue, clock }) {
      const start = clock.millis
      expect(await queue.nextRetryAt()).toBeUndefined()
      const blocker = await queue.create({ title: 'not done yet' }, 'maker')
      const heldUp = await spaced(queue, 'held up as well', start + MINUTE)
      await queue.addDependency({ issue_id: heldUp, depends_on_id: blocker.id, type: 'blocks' }, 'maker')
      await spaced(queue, 'last', start + 5 * MINUTE)
      const first = await spaced(queue, 'first', start + 2 * MINUTE)
      expect(await queue.nextRetryAt()).toBe(start + 2 * MINUTE)
      clock.millis = start + 2 * MINUTE
      expect(await queue.nextRetryAt()).toBe(start + 5 * MINUTE)
      expect(await ready(queue)).toEqual([blocker.id, first])
    },
  },
]
