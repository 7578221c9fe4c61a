import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, scrubbed } from '../../support/cli.ts'
import { eventually, type FleetHome, fleetHome } from '../../support/home-run.ts'
import { fill, smallDisk } from '../../support/small-disk.ts'
import { hasScript } from '../../support/tools.ts'

/** Failing to print must not stop a supervisor in the foreground. */

const BLOCK = 4096

/** Starts `fleet run` through a shell, as `$RUN`, and waits until it is up. */
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

/** A terminal that runs this shell line. Killing it is like closing the window. */
const terminal = (line: string): readonly string[] => ['script', '-qfc', line, '/dev/null']

/** Runs two tasks in sequence, each started once and settled by the same supervisor. */
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

test('a supervisor whose output is on a full disk keeps running, and prints again when there is room', async ({
  skip,
}) => {
  const disk = smallDisk(4)
  if (disk === undefined) return skip()
  const fleet = await fleetHome()
  const output = join(disk, 'out')
  await runBy(fleet, ['sh', '-c', 'exec $RUN >>"$OUT" 2>&1'], { OUT: output })
  // Pads the last block of the file: writes that fit into it succeed even on a full disk.
  appendFileSync(output, '\n'.repeat(BLOCK - (statSync(output).size % BLOCK)))
  const ballast = fill(disk, 0)
  await expectGoesOn(fleet)
  expect(readFileSync(output, 'utf8')).not.toContain('✓')
  expect(fleet.log().filter(({ event }) => event === 'output-failed')).toHaveLength(1)
  rmSync(ballast)
  const late = await fleet.script('true')
  await eventually(() => readFileSync(output, 'utf8').includes(`✓ ${late}`), 'it prints again')
})

test.runIf(hasScript)('a background supervisor keeps running when its terminal is closed', async () => {
  const fleet = await fleetHome()
  // An interactive shell has job control, so its background jobs get no hangup.
  const window = await runBy(fleet, terminal('set -m; $RUN & wait'))
  window.kill('SIGKILL')
  await once(window, 'exit')
  await expectGoesOn(fleet)
})

test.runIf(hasScript)(
  'a supervisor in its own session keeps running when the terminal it writes to is closed',
  async () => {
    const fleet = await fleetHome()
    const window = await runBy(fleet, terminal('setsid --wait $RUN'))
    window.kill('SIGKILL')
    await once(window, 'exit')
    await expectGoesOn(fleet)
  },
)

test('a supervisor keeps running when the reader of its output is gone', async () => {
  const fleet = await fleetHome()
  await runBy(fleet, ['sh', '-c', '$RUN | head -1'])
  await expectGoesOn(fleet)
})

// Node resets the signal that nohup ignores, so `nohup fleet run` gets the hangup too.
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
