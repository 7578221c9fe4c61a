import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, scrubbed } from '../../support/cli.ts'
import { eventually, type FleetHome, fleetHome } from '../../support/home-run.ts'
import { fill, smallDisk } from '../../support/small-disk.ts'
import { hasScript } from '../../support/tools.ts'

/** What a supervisor in the foreground says is for whoever listens; what it does goes on without. */

const BLOCK = 4096

/** `fleet run` as a shell starts it; `$RUN` is that command. Up when this returns. */
async function runBy(fleet: FleetHome, argv: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
  const [file = '', ...args] = argv
  const started = (): number => fleet.log().filter(({ event }) => event === 'supervisor-started').length
  const before = started()
  const child = spawn(file, args, {
    cwd: fleet.project,
    env: { ...scrubbed(), FLEET_HOME: fleet.path, RUN: `${process.execPath} ${FLEET} run`, SHELL: '/bin/sh', ...more },
    stdio: 'ignore',
  })
  await eventually(() => started() > before, 'the supervisor has started')
  return child
}

/** A terminal that begins with this line of a shell; killed, it is gone as a window is that somebody closes. */
const terminal = (line: string): readonly string[] => ['script', '-qfc', line, '/dev/null']

/** Two tasks one after the other, each started once and settled, by the supervisor that is there. */
async function expectGoesOn(fleet: FleetHome): Promise<void> {
  for (const name of ['first', 'second']) {
    const id = await fleet.script(`echo ${name} >>starts`)
    await fleet.becomes(id, 'closed')
    expect(fleet.runsOf(id)).toMatchObject([{ attempt: 1, outcome: { code: 'done' } }])
  }
  expect(fleet.lines('starts')).toEqual(['first', 'second'])
  expect(fleet.log().filter(({ event }) => event === 'supervisor-started')).toHaveLength(1)
  expect(await fleet.beside(['run', 'status'])).toMatchObject({ code: 0 })
  await fleet.expectNoAgents()
}

test('a supervisor whose output is on a full disk goes on, and goes on telling when there is room', async ({
  skip,
}) => {
  const disk = smallDisk(4)
  if (disk === undefined) return skip()
  const fleet = await fleetHome()
  const output = join(disk, 'out')
  await runBy(fleet, ['sh', '-c', 'exec $RUN >>"$OUT" 2>&1'], { OUT: output })
  // What has room in the last block of a file finds room on any disk.
  appendFileSync(output, '\n'.repeat(BLOCK - (statSync(output).size % BLOCK)))
  const ballast = fill(disk, 0)
  await expectGoesOn(fleet)
  expect(readFileSync(output, 'utf8')).not.toContain('✓')
  expect(fleet.log().filter(({ event }) => event === 'output-failed')).toHaveLength(1)
  rmSync(ballast)
  const late = await fleet.script('true')
  await eventually(() => readFileSync(output, 'utf8').includes(`✓ ${late}`), 'it is told again')
})

test.runIf(hasScript)('a supervisor in the background of a terminal that is closed goes on', async () => {
  const fleet = await fleetHome()
  // A shell with job control, as people have it: what it has in the background hears nothing of the end.
  const window = await runBy(fleet, terminal('set -m; $RUN & wait'))
  window.kill('SIGKILL')
  await once(window, 'exit')
  await expectGoesOn(fleet)
})

test.runIf(hasScript)(
  'a supervisor in a session of its own goes on when the terminal it writes to is closed',
  async () => {
    const fleet = await fleetHome()
    const window = await runBy(fleet, terminal('setsid --wait $RUN'))
    window.kill('SIGKILL')
    await once(window, 'exit')
    await expectGoesOn(fleet)
  },
)

test('a supervisor goes on when the reader of its output has gone', async () => {
  const fleet = await fleetHome()
  await runBy(fleet, ['sh', '-c', '$RUN | head -1'])
  await expectGoesOn(fleet)
})

// Node takes back what nohup asked for, so one under it hears of the hangup like any other.
test.runIf(hasScript).each(['fleet run', 'nohup fleet run'])(
  'a hangup of the terminal of %s leaves its agents to the next supervisor',
  async (command) => {
    const fleet = await fleetHome()
    const id = await fleet.script('echo $$ >>starts; while [ ! -e go ]; do sleep 0.1; done')
    const window = await runBy(fleet, terminal(command.replace('fleet run', '$RUN')))
    await eventually(() => fleet.lines('starts').length === 1, 'it runs')
    window.kill('SIGKILL')
    await fleet.logged('agents-left-running')
    await eventually(async () => (await fleet.beside(['run', 'status'])).code === 1, 'the supervisor has ended')
    expect(fleet.agents()).not.toEqual([])
    await fleet.supervise()
    fleet.touch('go')
    await fleet.becomes(id, 'closed')
    expect(fleet.lines('starts')).toHaveLength(1)
    expect(fleet.runsOf(id)).toMatchObject([{ attempt: 1, outcome: { code: 'done' } }])
    await fleet.expectNoAgents()
  },
)
