import { expect, test } from 'vitest'
import { fleetHome } from '../support/home-run.ts'
import { withoutMissingPrograms } from '../support/missing-programs.ts'
import { init, testFleet } from '../support/supervisor.ts'

test('--once says in one line what it waits for between two attempts', async () => {
  const fleet = await fleetHome(['max_attempts=2'])
  const id = await fleet.script('exit 3')
  const supervisor = await fleet.supervise({ argv: ['--once'] })
  expect(await supervisor.exited).toEqual({ code: 1, signal: null })
  const lines = withoutMissingPrograms(supervisor.output()).trimEnd().split('\n')
  const alike = (line: string) => line.replace(/ in \ds$/, ' in some seconds').replace(/^\d\d:\d\d:\d\d /, 'now ')
  expect(lines.map(alike)).toEqual([
    'now  supervisor started',
    `now  ▶ ${id}  A script  attempt 1, shell`,
    `now  ■ ${id}  A script  error: exit 3 → open`,
    `now  waiting for a retry of ${id} in some seconds`,
    `now  ▶ ${id}  A script  attempt 2, shell`,
    `now  ■ ${id}  A script  error: exit 3 → blocked`,
    '0 done, 1 blocked, 0 waiting',
  ])
})

test('--once --quiet prints nothing', async () => {
  const fleet = await fleetHome(['max_attempts=2'])
  await fleet.script('test -e gone-on || { touch gone-on; exit 3; }')
  const supervisor = await fleet.supervise({ argv: ['--once', '--quiet'] })
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  expect(supervisor.output()).toBe('')
})

test('--once ends with what is done and what each task waits for, and exits 1 if ready work is left', async () => {
  const fleet = await fleetHome()
  const [one, other] = await fleet.scripts(['true', 'true'])
  expect(fleet.fleet(['pause'])).toMatchObject({ code: 0 })
  const supervisor = await fleet.supervise({ argv: ['--once'] })
  expect(await supervisor.exited).toEqual({ code: 1, signal: null })
  const lines = supervisor.output().trimEnd().split('\n').slice(-3)
  expect(lines.map((line) => line.replace(/ at .+ \(/, ' at some time ('))).toEqual([
    '0 done, 0 blocked, 2 waiting',
    ...[one, other].map((id) => `… ${id}  claiming was paused by tester at some time (fleet resume)`),
  ])
  expect(fleet.fleet(['tasks']).stdout).toContain('paused')
})

test('--once with a bad key says what its tasks wait for, and exits 1', async () => {
  const fleet = testFleet()
  const login = { claude: 'error', status: 401, error: 'authentication_failed', text: 'Invalid API key' }
  const id = fleet.create('Not logged in', [init, login, { exit: 1 }])
  const script = fleet.create('On another lane', 'true')
  const { code, stdout } = fleet.fleet('run', '--once')
  expect(code).toBe(1)
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    '1 done, 0 blocked, 1 waiting',
    `… ${id}  its lane claude is down: Invalid API key`,
  ])
  expect(await fleet.task(script)).toMatchObject({ status: 'closed' })
})

test('--once does not wait for a limit, and says when it resets', async () => {
  const fleet = testFleet()
  const resetsAt = Math.floor(Date.now() / 1000) + 3600
  const id = fleet.create('Limited', [init, { claude: 'limit', resetsAt }, { exit: 1 }])
  const { code, stdout } = fleet.fleet('run', '--once')
  expect(code).toBe(1)
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
    new RegExp(`^… ${id}  its lane claude is paused, resumes .+: You've hit your 5-hour limit`),
  )
})
