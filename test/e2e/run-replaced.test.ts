import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { FLEET, scrubbed } from '../support/cli.ts'
import { eventually, type FleetHome, fleetHome } from '../support/home-run.ts'

/** A command that the test can freeze, to win races against it. */
function command(fleet: FleetHome, argv: readonly string[]) {
  const child = spawn(process.execPath, [FLEET, ...argv], {
    env: { ...scrubbed(), FLEET_HOME: fleet.path },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const said = text(child.stdout)
  const done = once(child, 'exit').then(async ([code]) => ({ code, stdout: await said }))
  return { hold: () => child.kill('SIGSTOP'), goOn: () => child.kill('SIGCONT'), done }
}

test('`fleet run drain` waits only for the supervisor it drained', async () => {
  const fleet = await fleetHome()
  const id = await fleet.script('while [ ! -e go ]; do sleep 0.1; done')
  const first = await fleet.supervise()
  await fleet.logged('run-started')
  const drain = command(fleet, ['run', 'drain'])
  await fleet.logged('draining')
  drain.hold()
  first.kill('SIGKILL')
  await first.exited
  const second = await fleet.supervise()
  drain.goOn()
  expect(await drain.done).toEqual({ code: 0, stdout: 'supervisor ended\n' })
  expect(fleet.fleet(['run', 'status']).stdout).toContain(`(pid ${second.pid})`)
  fleet.touch('go')
  await fleet.becomes(id, 'closed')
})

test('`fleet run stop` waits only for the supervisor it stopped, and leaves the next one running', async () => {
  const fleet = await fleetHome()
  // Ignores SIGTERM, so that there is time to freeze the command.
  await fleet.script("trap '' TERM; touch begun; while [ ! -e go ]; do sleep 0.1; done")
  const first = await fleet.supervise()
  await eventually(() => fleet.exists('begun'), 'it runs')
  const stop = command(fleet, ['run', 'stop'])
  await fleet.logged('stopping')
  stop.hold()
  await first.exited
  const second = await fleet.supervise()
  stop.goOn()
  expect(await stop.done).toEqual({ code: 0, stdout: 'supervisor stopped\n' })
  expect(fleet.fleet(['run', 'status']).stdout).toMatch(new RegExp(`^running \\(pid ${second.pid}\\)`))
})
