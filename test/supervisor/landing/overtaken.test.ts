import { expect, test } from 'vitest'
import { redOutcome } from '../../../src/domain/landing/after-landing.ts'
import type { Landing } from '../../../src/domain/landing/landing.ts'
import type { Verification } from '../../../src/ports/verifier.ts'
import { sendBack } from '../../../src/supervisor/landing/fates.ts'
import { eventually } from '../../support/home-run.ts'
import { landingWorld } from '../../support/landing-world.ts'

/** A person takes a task back while its landing is under way, and its next attempt wants to land, too. */

const RED: Verification = { kind: 'failed', text: 'verify (sh check.sh) ended with exit status 1', commands: [] }
const PASSED: Verification = { kind: 'passed', text: '', commands: [] }

test('a task that is opened again while its merged tree is checked ends the check, and its next attempt lands', async () => {
  const checked: string[] = []
  let ended = 0
  const it = await landingWorld(async (subject, signal) => {
    checked.push(subject)
    if (checked.length > 1) return PASSED
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    ended++
    throw new Error('aborted')
  })
  await it.supervisor().start()
  await eventually(() => checked.length === 1, 'the merged tree is checked')
  await it.store.queue.update(it.id, { status: 'open' }, 'anna')
  await eventually(async () => (await it.status(it.id)) === 'closed', 'the next attempt lands')
  expect({ ended, checks: checked.length, subjects: it.subjects() }).toEqual({
    ended: 1,
    checks: 2,
    subjects: ['Work', 'Work', 'First'],
  })
  expect(it.store.ledger.stateOf(it.id).failures).toBe(0)
})

test('a landing that is overtaken by a newer one of its task decides nothing about it', async () => {
  const it = await landingWorld(async () => PASSED)
  await it.supervisor().start()
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  const over = it.newest() as Landing
  const { ledger } = it.store
  const newer: Landing = { ...over, run: `${over.run}-next`, state: { at: 'queued' } }
  ledger.landings.save(newer)
  const state = ledger.stateOf(it.id)
  const outcome = redOutcome(over, { target: 'main', plan: { how: 'as-it-is' } }, { by: 'verify', output: '' })
  const build = { target: 'main', commit: over.commit, report: { how: 'as-it-is' } } as const
  expect(await sendBack(it.world, { ...over, state: { at: 'queued' } }, { outcome, build })).toBeUndefined()
  expect([it.newest(), ledger.stateOf(it.id)]).toEqual([newer, state])
})

test('a landing that goes back counts nothing if a person has the task by then', async () => {
  const it = await landingWorld(async () => RED)
  const before = it.store.ledger.stateOf(it.id)
  const settleBlocked = it.world.queue.settleBlocked.bind(it.world.queue)
  let state = before
  // The person is quicker than the queue.
  it.world.queue.settleBlocked = async (claim, next, labels) => {
    state = it.store.ledger.stateOf(it.id)
    await it.store.queue.update(it.id, { status: 'closed' }, 'anna')
    return await settleBlocked(claim, next, labels)
  }
  await it.supervisor().start()
  await eventually(() => it.newest()?.state.at === 'over', 'it is over')
  expect([state.failures, it.store.ledger.stateOf(it.id).failures]).toEqual([1, 0])
  expect(it.store.ledger.stateOf(it.id).lastOutcome?.code).toBe('needs-landing')
})
