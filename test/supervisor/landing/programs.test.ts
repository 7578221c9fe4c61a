import { expect, test } from 'vitest'
import { reviewTask } from '../../../src/actions/review.ts'
import { Home } from '../../../src/platform/files/home.ts'
import { reviewOf, waitingReviews } from '../../../src/views/review/reviews.ts'
import { eventually } from '../../support/home-run.ts'
import { landingWorld } from '../../support/landing-world.ts'

/** Work that has passed in a repository whose configuration was changed meanwhile. */
async function stopped() {
  let settled = 0
  const it = await landingWorld(async () => ({ kind: 'passed', text: '', commands: [] }), {
    queue: (queue) => ({
      async settle(claim, next) {
        if (settled++ === 0) it.git('config', 'alias.st', 'status')
        return await queue.settle(claim, next)
      },
    }),
  })
  const labels = async (): Promise<readonly string[]> => (await it.store.queue.get(it.id))?.labels ?? []
  const supervisor = it.supervisor()
  await supervisor.start()
  await eventually(async () => (await labels()).includes('needs-review'), 'a person is asked')
  const home = new Home(it.world.home)
  const decide = async (decision: 'accepted' | 'rejected', note: string) => {
    const { becomes } = await reviewTask({ home, by: 'anna' }, { task: it.id, decision, note })
    supervisor.queueChanged()
    return becomes
  }
  return { ...it, supervisor, home, labels, decide }
}

test('a landing that changed configuration stops is a review, which shows the change; once accepted, it lands', async () => {
  const it = await stopped()
  const [waits] = await waitingReviews(it.home)
  const { standing, programs } = await reviewOf(it.home, it.id)
  expect({ labels: await it.labels(), waits: waits?.reason, kind: standing.kind, programs }).toEqual({
    labels: ['needs-landing', 'needs-review'],
    waits: expect.stringMatching(/configuration of its repository were changed .* setting alias.st \(new\)/),
    kind: 'programs',
    programs: [{ name: 'setting alias.st', how: 'new', text: 'status' }],
  })
  expect(await it.decide('accepted', '')).toBe('landing')
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  expect([await it.labels(), it.store.ledger.runsOf(it.id).length]).toEqual([[], 1])
})

test('a landing that changed configuration stops goes back to its agent with the note of a person', async () => {
  const it = await stopped()
  expect(await it.decide('rejected', 'put it back')).toBe('open')
  await eventually(() => it.store.ledger.runsOf(it.id).length === 2, 'its agent goes on')
  expect(it.store.ledger.reviews.of(it.id)).toEqual([
    expect.objectContaining({ decision: 'rejected', note: 'put it back' }),
  ])
})

test('a landing goes on by itself when the configuration is as it was again', async () => {
  const it = await stopped()
  it.git('config', '--unset', 'alias.st')
  it.later(120_000)
  it.supervisor.wake()
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  expect(await it.labels()).toEqual([])
})
