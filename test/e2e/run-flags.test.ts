import { expect, test } from 'vitest'
import { fleetHome } from '../support/home-run.ts'
import { created } from '../support/tasks.ts'

test('the flags of the supervisor that runs are in force: shown beside its tasks, and kept by a restart', async () => {
  const fleet = await fleetHome(['coder=claude'])
  const id = created(fleet, 'Next')
  expect(fleet.fleet(['pause']).code).toBe(0)
  const chosen = () => {
    const [queued] = JSON.parse(fleet.fleet(['tasks', '--all', '--json']).stdout).queued
    const shown = JSON.parse(fleet.fleet(['show', id, '--json']).stdout).fleet
    return [queued, shown].map(({ coder, model }) => ({ coder, model }))
  }
  expect(chosen()).toEqual(Array(2).fill({ coder: 'claude', model: 'sonnet' }))
  const { exited } = await fleet.supervise({ argv: ['--coder', 'shell', '--model=m', '--max', '7'] })
  expect(chosen()).toEqual(Array(2).fill({ coder: 'shell', model: 'm' }))
  expect((await fleet.beside(['run', 'restart'])).code).toBe(0)
  await exited
  expect(chosen()).toEqual(Array(2).fill({ coder: 'shell', model: 'm' }))
  expect((await fleet.beside(['run', 'stop'])).code).toBe(0)
  expect(chosen()).toEqual(Array(2).fill({ coder: 'claude', model: 'sonnet' }))
})
