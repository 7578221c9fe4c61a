import { expect, test } from 'vitest'
import { eventually, fleetHome } from '../support/home-run.ts'
import { withoutMissingPrograms } from '../support/missing-programs.ts'

test('`fleet run status` shows people the start and whole seconds, and programs milliseconds', async () => {
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

test('every command that starts or reports a supervisor says that claiming is paused', async () => {
  const fleet = await fleetHome()
  expect(fleet.fleet(['pause']).code).toBe(0)
  const claimsNothing = '(?:[0-9:]+  )?! claiming nothing: paused by tester at [0-9:]+; fleet resume\n'
  expect(fleet.fleet(['run', 'status'])).toMatchObject({
    code: 1,
    stdout: 'stopped\nclaiming is paused by tester (fleet resume)\n',
  })
  const summary = '0 done, 0 blocked, 0 waiting\n'
  expect(withoutMissingPrograms(fleet.fleet(['run', '--once']).stdout)).toMatch(
    new RegExp(`^[0-9:]+  supervisor started\n${claimsNothing}${summary}$`),
  )
  for (const said of ['supervisor started', 'already running']) {
    expect((await fleet.beside(['run', 'start'])).stdout).toMatch(
      new RegExp(`^${said} \\(pid \\d+\\)\n${claimsNothing}$`),
    )
  }
  expect((await fleet.beside(['run', 'restart'])).stdout).toMatch(
    new RegExp(`^supervisor restarted .*\n${claimsNothing}$`),
  )
})

test('a supervisor says once that claiming is paused, and once that it claims again', async () => {
  const fleet = await fleetHome()
  const supervisor = await fleet.supervise()
  expect(fleet.fleet(['pause']).code).toBe(0)
  expect(await fleet.logged('claiming-stopped')).toMatchObject({ why: 'paused by tester' })
  const id = await fleet.script('true')
  expect(fleet.fleet(['resume']).code).toBe(0)
  await fleet.becomes(id, 'closed')
  supervisor.kill('SIGTERM')
  await supervisor.exited
  const said = supervisor
    .output()
    .replace(/^[0-9:]{8} {2}/gm, '')
    .split('\n')
  expect(said.filter((line) => line.startsWith('! claiming nothing: paused by tester at '))).toHaveLength(1)
  expect(said.filter((line) => line === 'claiming again')).toHaveLength(1)
})

test('`fleet run restart` says the same if the old supervisor has just ended by itself', async () => {
  const fleet = await fleetHome()
  const { exited, kill } = await fleet.supervise()
  kill('SIGTERM')
  await exited
  expect(fleet.fleet(['run', 'status']).stdout).toBe('stopped\n')
  const restarted = expect.stringMatching(/^supervisor restarted \(pid \d+\)\n$/)
  for (const _old of ['ended', 'running']) {
    expect(await fleet.beside(['run', 'restart'])).toEqual({ code: 0, stdout: restarted, stderr: '' })
  }
  expect((await fleet.beside(['run', 'stop'])).code).toBe(0)
})

/** Ignores SIGTERM and runs until the test lets it go. */
const UNTIL_GO = 'trap "" TERM; echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done'

const LEAVING = {
  draining: ['drain', 'when its last agent has ended', 'starts another at once, which adopts its agents'],
  stopping: ['stop', 'when its agents have ended', 'waits for that and starts another'],
} as const

test.each(Object.keys(LEAVING) as (keyof typeof LEAVING)[])(
  '`fleet run status` shows that a supervisor is %s, and `fleet run start` does not count it as running',
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
