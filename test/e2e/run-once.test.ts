import { expect, test } from 'vitest'
import { fleetHome } from '../support/home-run.ts'

test('--once says in one line what it waits for between two attempts', async () => {
  const fleet = await fleetHome(['max_attempts=2'])
  const id = await fleet.script('exit 3')
  const supervisor = await fleet.supervise({ argv: ['--once'] })
  expect(await supervisor.exited).toEqual({ code: 1, signal: null })
  const lines = supervisor.output().trimEnd().split('\n')
  const alike = (line: string) => line.replace(/ in \ds$/, ' in some seconds').replace(/^\d\d:\d\d:\d\d /, 'now ')
  expect(lines.map(alike)).toEqual([
    'now  supervisor started',
    `now  ▶ ${id}  A script  attempt 1, shell`,
    `now  ■ ${id}  A script  error: exit 3 → open`,
    `now  waiting for a retry of ${id} in some seconds`,
    `now  ▶ ${id}  A script  attempt 2, shell`,
    `now  ■ ${id}  A script  error: exit 3 → blocked`,
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
  expect(supervisor.output().trimEnd().split('\n').at(-1)?.slice(10)).toBe(
    '! 2 ready tasks are left; fleet tasks says what for',
  )
  expect(fleet.fleet(['tasks']).stdout).toContain('paused')
})
