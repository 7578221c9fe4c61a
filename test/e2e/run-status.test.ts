import { expect, test } from 'vitest'
import { eventually, fleetHome } from '../support/home-run.ts'

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
    state: 'paused',
    agents: 0,
    paused: { by: 'tester', at: exact },
  })
})

test('whoever starts a supervisor while claiming is paused is told, and so is who asks for one that is stopped', async () => {
  const fleet = await fleetHome()
  expect(fleet.fleet(['pause']).code).toBe(0)
  const claimsNothing = '! claiming nothing: paused by tester at [0-9:]+; fleet resume\n'
  expect(fleet.fleet(['run', 'status'])).toMatchObject({
    code: 1,
    stdout: 'stopped\nclaiming is paused by tester (fleet resume)\n',
  })
  expect(fleet.fleet(['run', '--once']).stdout).toMatch(new RegExp(`^supervisor started\n${claimsNothing}$`))
  for (const said of ['supervisor started', 'already running']) {
    expect((await fleet.beside(['run', 'start'])).stdout).toMatch(
      new RegExp(`^${said} \\(pid \\d+\\)\n${claimsNothing}$`),
    )
  }
  expect((await fleet.beside(['run', 'restart'])).stdout).toMatch(
    new RegExp(`^supervisor restarted .*\n${claimsNothing}$`),
  )
})

test('a supervisor says once that claiming was paused and once that it claims again', async () => {
  const fleet = await fleetHome()
  const supervisor = await fleet.supervise()
  expect(fleet.fleet(['pause']).code).toBe(0)
  expect(await fleet.logged('claiming-stopped')).toMatchObject({ why: 'paused by tester' })
  const id = await fleet.script('true')
  expect(fleet.fleet(['resume']).code).toBe(0)
  await fleet.becomes(id, 'closed')
  supervisor.kill('SIGTERM')
  await supervisor.exited
  const said = supervisor.output().split('\n')
  expect(said.filter((line) => line.startsWith('! claiming nothing: paused by tester at '))).toHaveLength(1)
  expect(said.filter((line) => line === 'claiming again')).toHaveLength(1)
})

/** Goes on until the test lets it go, whoever asks it to end. */
const UNTIL_GO = 'trap "" TERM; echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done'

const LEAVING = {
  draining: ['drain', 'when its last agent has ended', 'starts another at once, which adopts its agents'],
  stopping: ['stop', 'when its agents have ended', 'waits for that and starts another'],
} as const

test.each(Object.keys(LEAVING) as (keyof typeof LEAVING)[])(
  'that a supervisor is %s can be seen, and nobody who starts one takes it for one that goes on',
  async (mode) => {
    const [command, ends, restarts] = LEAVING[mode]
    const fleet = await fleetHome(['timeouts.grace=10m'])
    const { pid, exited } = await fleet.supervise()
    const id = await fleet.script(UNTIL_GO)
    await eventually(() => fleet.lines('starts').length === 1, 'it runs')
    const left = fleet.beside(['run', command])
    await fleet.logged(mode)
    expect(fleet.fleet(['run', 'status'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^${mode} \\(pid ${pid}\\), up since [0-9: -]+, for [0-9ms]+, 1 agent\n$`),
    })
    expect(JSON.parse(fleet.fleet(['run', 'status', '--json']).stdout)).toMatchObject({ running: true, state: mode })
    expect(fleet.fleet(['hosts']).stdout).toContain(`online, ${mode}`)
    expect(fleet.fleet(['run', 'start'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `fleet: the supervisor (pid ${pid}) is ${mode}: it ends ${ends}\n  fleet run status says when it is gone; fleet run restart ${restarts}\n`,
    })
    const restarted = fleet.beside(['run', 'restart'])
    if (mode === 'stopping') fleet.touch('go')
    expect(await restarted).toMatchObject({ code: 0, stdout: expect.stringContaining('supervisor restarted') })
    await exited
    fleet.touch('go')
    await fleet.becomes(id, 'closed')
    expect((await fleet.beside(['run', 'stop'])).code).toBe(0)
    await left
  },
)
