import { expect } from 'vitest'
import type { Claim, NextStep } from '../../../src/ports/queue.ts'
import { CLAIMED_WORK, task } from '../given.ts'
import type { ContractCase, QueueUnderTest } from '../subject.ts'

const MINUTE = 60_000
const LABEL = 'needs-landing'

async function leaveBlocked({ queue }: QueueUnderTest, claim: Claim): Promise<void> {
  expect(await queue.settle(claim, { to: 'blocked', notes: 'waits to land', addLabels: [LABEL] })).toBe(true)
}

/** Tries every decision about a task that is no longer this claimer's to decide about. */
async function expectRefused({ queue, clock }: QueueUnderTest, claim: Claim): Promise<void> {
  const before = await queue.get(claim.id)
  clock.millis += 5000
  const steps: NextStep[] = [
    { to: 'closed', reason: 'too late' },
    { to: 'open' },
    { to: 'blocked', notes: 'too late', addLabels: ['too-late'] },
  ]
  for (const step of steps) {
    expect([step.to, await queue.settleBlocked(claim, step, { remove: [LABEL] })]).toEqual([step.to, false])
  }
  expect(await queue.get(claim.id)).toEqual(before)
}

/** What becomes of a task that a claimer left blocked, when the reason is gone and nobody else has decided. */
export const blockedCases: readonly ContractCase[] = [
  {
    name: 'a claimer closes a task that it left blocked, which frees its dependents',
    given: {
      tasks: [task('work'), task('then', { dependencies: [{ on: 'fleet-work', type: 'blocks' }] })],
      claimed: 1,
    },
    async run(subject, claim) {
      const { queue, clock } = subject
      await leaveBlocked(subject, claim)
      expect(await queue.claim({ limit: 1, by: 'other', leaseMs: MINUTE })).toEqual([])
      clock.millis += MINUTE
      expect(await queue.settleBlocked(claim, { to: 'closed', reason: 'landed' }, { remove: [LABEL] })).toBe(true)
      expect(await queue.get(claim.id)).toMatchObject({ status: 'closed', close_reason: 'landed', labels: [] })
      expect(await queue.claim({ limit: 1, by: 'other', leaseMs: MINUTE })).toMatchObject([{ id: 'fleet-then' }])
    },
  },
  {
    name: 'a claimer reopens a task that it left blocked, at once or after a delay',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      const { queue, clock } = subject
      await leaveBlocked(subject, claim)
      const notBefore = clock.millis + MINUTE
      expect(await queue.settleBlocked(claim, { to: 'open', notBefore }, { remove: [LABEL] })).toBe(true)
      expect(await queue.get(claim.id)).toMatchObject({ status: 'open', assignee: '', labels: [] })
      expect(await queue.claim({ limit: 1, by: 'other', leaseMs: MINUTE })).toEqual([])
      clock.millis += MINUTE + 1
      expect(await queue.claim({ limit: 1, by: 'other', leaseMs: MINUTE })).toMatchObject([{ id: claim.id }])
    },
  },
  {
    name: 'a claimer leaves a task blocked for another reason, and may decide about it again',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      const { queue } = subject
      await leaveBlocked(subject, claim)
      const review: NextStep = { to: 'blocked', notes: 'its hooks changed', addLabels: ['needs-review'] }
      expect(await queue.settleBlocked(claim, review, { remove: [LABEL] })).toBe(true)
      expect(await queue.get(claim.id)).toMatchObject({
        status: 'blocked',
        labels: ['needs-review'],
        notes: 'waits to land\nits hooks changed',
      })
      expect(await queue.settleBlocked(claim, { to: 'open' }, { remove: ['needs-review'] })).toBe(true)
    },
  },
  {
    name: 'a blocked task that was decided about is decided about once',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      await leaveBlocked(subject, claim)
      expect(await subject.queue.settleBlocked(claim, { to: 'open' }, { remove: [LABEL] })).toBe(true)
      await expectRefused(subject, claim)
    },
  },
  {
    name: 'a blocked task that waits for something else by now is not decided about',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      const { queue } = subject
      await queue.settle(claim, { to: 'blocked', addLabels: ['needs-review'] })
      const accepted: NextStep = { to: 'blocked', addLabels: [LABEL] }
      expect(await queue.settleBlocked(claim, accepted, { remove: ['needs-review'] })).toBe(true)
      for (const step of [accepted, { to: 'open' }, { to: 'closed', reason: 'too late' }] satisfies NextStep[]) {
        expect([step.to, await queue.settleBlocked(claim, step, { remove: ['needs-review'] })]).toEqual([
          step.to,
          false,
        ])
      }
      expect(await queue.get(claim.id)).toMatchObject({ status: 'blocked', labels: [LABEL] })
      expect(await queue.settleBlocked(claim, { to: 'open' }, { remove: [LABEL] })).toBe(true)
    },
  },
  {
    name: 'a blocked task that a person reopened, and whoever claims and blocks it then, is not decided about',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      const { queue, byHand } = subject
      await leaveBlocked(subject, claim)
      await byHand.reopen(claim.id)
      await expectRefused(subject, claim)
      const [next] = await queue.claim({ limit: 1, by: 'other', leaseMs: MINUTE })
      if (next === undefined) throw new Error('nothing was handed out')
      await expectRefused(subject, claim)
      await queue.settle(next, { to: 'blocked', addLabels: [LABEL] })
      await expectRefused(subject, claim)
    },
  },
  {
    name: 'a blocked task that a person closed is not decided about',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      await leaveBlocked(subject, claim)
      expect(await subject.queue.close(claim.id, { force: true }, 'anna')).toMatchObject({ kind: 'closed' })
      await expectRefused(subject, claim)
    },
  },
  {
    name: 'a task that is still claimed is not decided about as a blocked one',
    given: CLAIMED_WORK,
    async run(subject, claim) {
      expect(await subject.queue.settleBlocked(claim, { to: 'open' }, { remove: [] })).toBe(false)
      expect(await subject.queue.renew(claim, MINUTE)).toBe(true)
    },
  },
]
