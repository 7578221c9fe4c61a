import { expect } from 'vitest'
import { rfc3339 } from '../../../src/domain/task/time.ts'
import type { Claim, NextStep, Queue } from '../../../src/ports/queue.ts'
import { CLAIMED_WORK, task, WORK } from '../given.ts'
import type { ContractCase, QueueUnderTest } from '../subject.ts'

const MINUTE = 60_000

async function claimed(queue: Queue, by = 'claimer'): Promise<Claim> {
  const [claim] = await queue.claim({ limit: 1, by, leaseMs: MINUTE })
  if (claim === undefined) throw new Error('nothing was handed out')
  return claim
}

/** Tries every way in which the holder of a lost claim could still write, and asserts that none of them works. */
async function expectFenced({ queue, clock }: QueueUnderTest, claim: Claim): Promise<void> {
  const before = await queue.get(claim.id)
  clock.millis += 5000
  expect(await queue.renew(claim, MINUTE)).toBe(false)
  const steps: NextStep[] = [
    { to: 'closed', reason: 'too late' },
    { to: 'open' },
    { to: 'open', notBefore: clock.millis + MINUTE },
    { to: 'blocked', notes: 'too late', addLabels: ['too-late'] },
    { to: 'deferred', until: rfc3339(clock.millis + MINUTE) },
  ]
  for (const step of steps) expect([step.to, await queue.settle(claim, step)]).toEqual([step.to, false])
  expect(await queue.get(claim.id)).toEqual(before)
}

const BY_HAND: Record<string, (byHand: QueueUnderTest['byHand'], id: string) => Promise<void>> = {
  reassigns: (byHand, id) => byHand.reassign(id, 'bob'),
  'opens again': (byHand, id) => byHand.reopen(id),
  parks: (byHand, id) => byHand.park(id),
  deletes: (byHand, id) => byHand.remove(id),
}

export const leaseCases: readonly ContractCase[] = [
  {
    name: 'settle closes with the reason',
    given: CLAIMED_WORK,
    async run({ queue, clock }, claim) {
      clock.millis += MINUTE
      expect(await queue.settle(claim, { to: 'closed', reason: 'all tests pass' })).toBe(true)
      const work = await queue.get(claim.id)
      expect(work).toMatchObject({ status: 'closed', close_reason: 'all tests pass' })
      expect(Date.parse(work?.closed_at ?? '')).toBe(clock.millis)
    },
  },
  {
    name: 'settle to open releases the task, which can be claimed again',
    given: CLAIMED_WORK,
    async run({ queue }, claim) {
      expect(await queue.settle(claim, { to: 'open' })).toBe(true)
      expect(await queue.get(claim.id)).toMatchObject({ status: 'open', assignee: '', closed_at: null })
      expect(await claimed(queue, 'next')).toMatchObject({ id: claim.id })
    },
  },
  {
    name: 'settle to blocked adds notes and labels, and the task is not claimed',
    given: { tasks: [task('work', { notes: 'from before', labels: ['kept'] })], claimed: 1 },
    async run({ queue }, claim) {
      expect(await queue.settle(claim, { to: 'blocked', notes: 'QUESTION: which?', addLabels: ['needs-review'] })).toBe(
        true,
      )
      expect(await queue.get(claim.id)).toMatchObject({
        status: 'blocked',
        assignee: '',
        notes: 'from before\nQUESTION: which?',
        labels: ['kept', 'needs-review'],
      })
      expect(await queue.claim({ limit: 1, by: 'next', leaseMs: MINUTE })).toEqual([])
    },
  },
  {
    name: 'settle defers to a time',
    given: CLAIMED_WORK,
    async run({ queue, clock }, claim) {
      const until = rfc3339(clock.millis + 60 * MINUTE)
      expect(await queue.settle(claim, { to: 'deferred', until })).toBe(true)
      expect(await queue.get(claim.id)).toMatchObject({ status: 'deferred', assignee: '', defer_until: until })
      expect(await queue.claim({ limit: 1, by: 'next', leaseMs: MINUTE })).toEqual([])
    },
  },
  {
    name: 'a claim is settled once',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      expect(await subject.queue.settle(claim, { to: 'closed', reason: 'done' })).toBe(true)
      await expectFenced(subject, claim)
    },
  },
  {
    name: 'renew extends the lease',
    given: WORK,
    async run({ queue, clock }) {
      const claim = await claimed(queue)
      clock.millis += MINUTE - 1
      expect(await queue.renew(claim, MINUTE)).toBe(true)
      clock.millis += MINUTE - 1
      expect(await queue.reclaimExpired()).toEqual([])
      clock.millis += 2
      expect(await queue.reclaimExpired()).toEqual([claim.id])
    },
  },
  {
    name: 'reclaimExpired reopens tasks with an expired lease and fences off the old holder',
    given: CLAIMED_WORK,
    async run(subject, lost) {
      const { queue, clock } = subject
      const { id } = lost
      clock.millis += MINUTE + 1
      expect(await queue.reclaimExpired()).toEqual([id])
      expect(await queue.reclaimExpired()).toEqual([])
      expect(await queue.get(id)).toMatchObject({ status: 'open', assignee: '' })
      await expectFenced(subject, lost)
      const next = await claimed(queue, 'next')
      expect(next.token).toBeGreaterThan(lost.token)
      await expectFenced(subject, lost)
      expect(await queue.settle(next, { to: 'closed', reason: 'done' })).toBe(true)
    },
  },
  {
    name: 'reclaimExpired leaves a lease that has not expired',
    given: CLAIMED_WORK,
    async run({ queue, clock }, claim) {
      clock.millis += MINUTE - 1
      expect(await queue.reclaimExpired()).toEqual([])
      expect(await queue.settle(claim, { to: 'closed', reason: 'done' })).toBe(true)
    },
  },
  {
    name: 'a claim never takes a task with an expired lease, and its holder may still settle it late',
    given: CLAIMED_WORK,
    async run({ queue, clock }, claim) {
      clock.millis += 100 * MINUTE
      expect(await queue.claim({ limit: 1, by: 'next', leaseMs: MINUTE })).toEqual([])
      expect(await queue.settle(claim, { to: 'closed', reason: 'late but mine' })).toBe(true)
    },
  },
  {
    name: 'a claim with an old token or another holder writes nothing',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      for (const token of [claim.token - 1, claim.token + 1]) await expectFenced(subject, { ...claim, token })
      await expectFenced(subject, { ...claim, by: 'mallory' })
      expect(await subject.queue.settle(claim, { to: 'closed', reason: 'done' })).toBe(true)
    },
  },
  {
    name: 'a person with the same name as the supervisor does not share its claim',
    given: CLAIMED_WORK,
    async run({ queue, clock }, claim) {
      expect(await queue.take(claim.id, claim.by)).toEqual({ kind: 'held', by: claim.by })
      clock.millis += MINUTE + 1
      expect(await queue.reclaimExpired()).toEqual([claim.id])
    },
  },
  {
    name: 'the token grows with every change of ownership',
    given: CLAIMED_WORK,
    async run({ queue, clock }, first) {
      await queue.settle(first, { to: 'open' })
      const second = await claimed(queue)
      clock.millis += MINUTE + 1
      await queue.reclaimExpired()
      const third = await claimed(queue)
      const tokens = [first.token, second.token, third.token]
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b))
    },
  },
  {
    name: 'a person who closes a running task fences off the supervisor',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      expect(await subject.queue.close(claim.id, { reason: 'not needed', force: true }, 'anna')).toMatchObject({
        kind: 'closed',
      })
      await expectFenced(subject, claim)
    },
  },
  {
    name: 'a person who closes and reopens a running task fences off the supervisor',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      await subject.queue.close(claim.id, { force: true }, 'anna')
      await subject.queue.reopen(claim.id, {}, 'anna')
      await expectFenced(subject, claim)
    },
  },
  ...Object.entries(BY_HAND).map(([what, act]) => ({
    name: `a person who ${what} a running task fences off the supervisor`,
    given: CLAIMED_WORK,
    async run(subject: QueueUnderTest, claim: Claim) {
      await act(subject.byHand, claim.id)
      await expectFenced(subject, claim)
    },
  })),
  {
    name: 'claimsOf returns all leased claims of a claimer, expired or not, with valid tokens',
    given: { tasks: ['a', 'b', 'c', 'd', 'e'].map((name) => task(name)), claimed: 3 },
    async run({ queue, clock }, first, second, settled) {
      await queue.settle(settled as Claim, { to: 'closed', reason: 'done' })
      await claimed(queue, 'another')
      // As a person.
      await queue.take('fleet-e', 'claimer')
      clock.millis += 2 * MINUTE
      expect(await queue.claimsOf('claimer')).toEqual([first, second])
      for (const claim of await queue.claimsOf('claimer')) expect(await queue.renew(claim, MINUTE)).toBe(true)
      expect(await queue.claimsOf('nobody')).toEqual([])
    },
  },
  {
    name: 'claimsOf omits claims that were lost',
    given: { tasks: ['a', 'b'].map((name) => task(name)), claimed: 2 },
    async run({ queue, clock, byHand }, reopened) {
      await byHand.reopen(reopened.id)
      clock.millis += MINUTE + 1
      await queue.reclaimExpired()
      expect(await queue.claimsOf('claimer')).toEqual([])
    },
  },
]
