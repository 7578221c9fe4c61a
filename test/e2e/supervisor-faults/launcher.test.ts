import { expect, test } from 'vitest'
import { eventually, fleetHome, launchersOf } from '../../support/home-run.ts'
import { isExcepted } from '../../support/ps-exceptions.ts'

test.skipIf(
  isExcepted('after the launcher is killed, running agents are followed to their end and new ones still start'),
)('after the launcher is killed, running agents are followed to their end and new ones still start', async () => {
  const home = await fleetHome(['max_concurrent=3'])
  const first = await home.script('echo $$ >>pids; until [ -e go ]; do sleep 0.05; done')
  const supervisor = await home.supervise()
  await eventually(() => home.exists('pids'), 'the first agent works')
  const before = launchersOf(supervisor.pid)
  expect(before).toHaveLength(1)
  process.kill(before[0] as number, 'SIGKILL')
  await home.logged('launcher-gone')
  const second = await home.script('echo $$ >>pids')
  await home.becomes(second, 'closed')
  home.touch('go')
  await home.becomes(first, 'closed')
  expect(home.lines('pids')).toHaveLength(2)
  expect(home.runsOf(first).map(({ outcome }) => outcome?.code)).toEqual(['done'])
  // A start requested just before the launcher died may fail first, which costs no attempt.
  const codes = home.runsOf(second).map(({ outcome }) => outcome?.code)
  expect(codes.filter((code) => code !== 'never-started')).toEqual(['done'])
  expect(home.stateOf(second).failures).toBe(0)
  supervisor.kill('SIGTERM')
  expect(await supervisor.exited).toEqual({ code: 0, signal: null })
  await home.expectNoAgents()
})

test.skipIf(isExcepted('if the launcher dies while many agents start, every task runs, none twice'))(
  'if the launcher dies while many agents start, every task runs, none twice',
  async () => {
    const home = await fleetHome(['max_concurrent=20'])
    const ids = await home.scripts(Array.from({ length: 80 }, (_, n) => `echo ${n} >>ran; sleep 0.05`))
    const supervisor = await home.supervise()
    await eventually(() => home.exists('ran'), 'the first agents have worked')
    process.kill(launchersOf(supervisor.pid)[0] as number, 'SIGKILL')
    await eventually(async () => (await home.statuses()).every((each) => each === 'closed'), 'all are closed')
    expect(
      home
        .lines('ran')
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(ids.map((_, n) => n))
    supervisor.kill('SIGTERM')
    await supervisor.exited
    await home.expectNoAgents()
  },
)

test.skipIf(isExcepted('the launcher ends with its supervisor, even if that is killed'))(
  'the launcher ends with its supervisor, even if that is killed',
  async () => {
    const home = await fleetHome()
    const supervisor = await home.supervise()
    const [launcher] = launchersOf(supervisor.pid)
    supervisor.kill('SIGKILL')
    await supervisor.exited
    await eventually(() => !isThere(launcher as number), 'the launcher has ended')
  },
)

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
