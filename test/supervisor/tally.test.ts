import { expect, test } from 'vitest'
import { reviewTask } from '../../src/actions/review.ts'
import { Home } from '../../src/platform/files/home.ts'
import { eventually } from '../support/home-run.ts'
import { landingWorld } from '../support/landing-world.ts'

test('work that a person accepts while the supervisor runs, and that lands then, counts as done and not as blocked', async () => {
  const it = await landingWorld(async () => ({ kind: 'passed', text: '', commands: [] }), {
    settings: { close_at: 'reviewed' },
  })
  const supervisor = it.supervisor()
  await supervisor.start()
  await eventually(() => it.logged.some(([event]) => event === 'run-ended'), 'it waits for a review')
  await reviewTask({ home: new Home(it.world.home), by: 'anna' }, { task: it.id, decision: 'accepted', note: '' })
  await eventually(async () => (await it.status(it.id)) === 'closed', 'it lands')
  supervisor.drain()
  expect(await supervisor.finished).toEqual({ done: 1, blocked: 0, asked: true })
})
