import { expect, test } from 'vitest'
import { fleetHome } from '../support/home-run.ts'

test('--once says in one line what it waits for between two attempts', async () => {
  const fleet = await fleetHome(['max_attempts=2'])
  const id = await fleet.script('exit 3')
  const supervisor = await fleet.supervise({ argv: ['--once'] })
  expect(await supervisor.exited).toEqual({ code: 1, signal: null })
  const lines = supervisor.output().trimEnd().split('\n')
  expect(lines.map((line) => line.replace(/ in \ds$/, ' in some seconds'))).toEqual([
    'supervisor started',
    `▶ ${id}  attempt 1, shell`,
    `■ ${id}  error: exit 3 → open`,
    `waiting for a retry of ${id} in some seconds`,
    `▶ ${id}  attempt 2, shell`,
    `■ ${id}  error: exit 3 → blocked`,
  ])
})

test('--once --quiet prints nothing', async () => {
  const fleet = await fleetHome(['max_attempts=2'])
  await fleet.script('test -e gone-on || { touch gone-on; exit 3; }')
  const supervisor = await fleet.supervise({ argv: ['--once', '--quiet'] })
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(supervisor.output()).toBe('')
})

test('--once lists the tasks that wait for people or lanes, and where to read the reason', async () => {
  const fleet = await fleetHome()
  await fleet.scripts(['true', 'true'])
  expect(fleet.fleet(['pause'])).toMatchObject({ code: 0 })
  const supervisor = await fleet.supervise({ argv: ['--once'] })
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(supervisor.output().trimEnd().split('\n').at(-1)).toBe('! 2 ready tasks are left; fleet tasks says what for')
  expect(fleet.fleet(['tasks']).stdout).toContain('paused')
})
