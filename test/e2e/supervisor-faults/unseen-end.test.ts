import { expect, test } from 'vitest'
import { eventually, type FleetHome, fleetHome, launchersOf, type Supervised } from '../../support/home-run.ts'
import { isExcepted } from '../../support/ps-exceptions.ts'

/** Ways in which a supervisor gets no exit notice: it adopted the run, or its launcher died. */
const UNREPORTED = {
  'the supervisor was replaced': async (fleet: FleetHome, supervisor: Supervised) => {
    supervisor.kill('SIGKILL')
    await supervisor.exited
    await fleet.supervise()
  },
  'the launcher was killed': async (fleet: FleetHome, { pid }: Supervised) => {
    process.kill(launchersOf(pid)[0] as number, 'SIGKILL')
    await fleet.logged('launcher-gone')
  },
}

const LEFT = {
  'in its own session': 'setsid sh -c "echo left >>left; exec sleep 600" &',
  'beside it': 'sh -c "echo left >>left; exec sleep 600" &',
}

const hasLauncher = !isExcepted(
  'a script that ends after $when is judged by its exit, even if it left a process $where',
)
const cases = Object.entries(UNREPORTED)
  .filter(([when]) => hasLauncher || when !== 'the launcher was killed')
  .flatMap(([when, loseExitNotice]) =>
    Object.entries(LEFT).map(([where, left]) => ({ when, loseExitNotice, where, left })),
  )

test.each(cases)(
  'a script that ends after $when is judged by its exit, even if it left a process $where',
  async ({ loseExitNotice, left }) => {
    const fleet = await fleetHome(['pid_namespace=off'])
    const supervisor = await fleet.supervise()
    const id = await fleet.script(`${left} echo began >>began; until [ -e go ]; do sleep 0.05; done; echo ran >>ran`)
    await eventually(() => fleet.exists('left') && fleet.exists('began'), 'it runs')
    await loseExitNotice(fleet, supervisor)
    fleet.touch('go')
    await fleet.becomes(id, 'closed')
    expect(fleet.runsOf(id).map(({ outcome }) => outcome?.code)).toEqual(['done'])
    expect(fleet.lines('ran')).toHaveLength(1)
    await fleet.expectNoAgents()
  },
)
