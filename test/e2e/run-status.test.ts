import { expect, test } from 'vitest'
import { fleetHome } from '../support/home-run.ts'

test('fleet run status: for people in whole seconds and since when, for programs to the millisecond', async () => {
  const fleet = await fleetHome()
  expect(fleet.fleet(['run', 'status'])).toEqual({ code: 1, stdout: 'stopped\n', stderr: '' })
  const { pid } = await fleet.supervise()
  expect(fleet.fleet(['pause']).code).toBe(0)
  expect(fleet.fleet(['run', 'status'])).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^running \\(pid ${pid}\\) since [\\d: -]+, for [\\dms]+, 0 agents\\nclaiming is paused by tester \\(fleet resume\\)\\n$`,
      ),
    ),
    stderr: '',
  })
  const exact = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(JSON.parse(fleet.fleet(['run', 'status', '--json']).stdout)).toEqual({
    running: true,
    pid,
    since: exact,
    version: expect.any(String),
    agents: 0,
    paused: { by: 'tester', at: exact },
  })
})
