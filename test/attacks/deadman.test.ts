import { chownSync } from 'node:fs'
import { expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { temporaryFolder } from '../support/cli.ts'
import { switchesOf } from '../support/dead-man.ts'
import { eventually, type FleetHome, fleetHomeOn } from '../support/home-run.ts'
import { describeWithPostgres, type TestServer } from '../support/postgres.ts'
import type { FleetOptions } from '../support/supervisor.ts'
import { ROWS } from './deadman.rows.ts'

const { end, stop, record, both } = ROWS.attacks

/** What an agent does to the processes of its home that are no agents, by their names or their environment. */
const each = (what: string) => `for p in /proc/[0-9]*; do
  c=$(tr -d '\\0' <"$p/cmdline" 2>/dev/null)
  e=$(tr '\\0' '\\n' <"$p/environ" 2>/dev/null)
  ${what}
done`
const IS_SWITCH = '[ "$c" = "fleet (ends agents in time) $FLEET_HOME" ]'
const IS_SUPERVISOR = 'echo "$e" | grep -qx "FLEET_HOME=$FLEET_HOME" && ! echo "$e" | grep -q "^FLEET_RUN_ID="'
const WORK_ON = 'echo tried >>tried; while [ ! -e go ]; do sleep 0.1; done'

async function attacked(server: TestServer, options: FleetOptions, script: string) {
  const { uid, config = [] } = options
  const base = temporaryFolder()
  if (uid !== undefined) chownSync(base, uid, uid)
  const bounds = ['timeouts.lease=10s', 'timeouts.grace=1s', 'max_attempts=1']
  const home = await fleetHomeOn(server.newUrl(), [...bounds, ...config], { folder: base, uid })
  const supervisor = await home.supervise(uid === undefined ? {} : { uid })
  await eventually(() => switchesOf(home.path).length === 1, 'there is a switch')
  const [before] = switchesOf(home.path) as [number]
  const id = await home.script(script)
  return { home, supervisor, before, id, hasNamespace: !config.includes('pid_namespace=off') }
}

/** The supervisor dies, and whichever switch there is ends the agent. */
async function isStillGuarded(home: FleetHome, kill: (signal: 'SIGKILL') => void): Promise<void> {
  expect(home.agents().length).toBeGreaterThan(0)
  kill('SIGKILL')
  await home.expectNoAgents()
  await eventually(() => switchesOf(home.path).length === 0, 'no switch is left')
}

describeWithPostgres("the dead man's switch", (server) => {
  for (const [row, signal] of [
    [end, 'KILL'],
    [stop, 'STOP'],
  ] as const) {
    attack(row, async (options) => {
      const script = `${each(`${IS_SWITCH} && kill -${signal} "\${p#/proc/}"`)}; ${WORK_ON}`
      const { home, supervisor, before, hasNamespace } = await attacked(server, options, script)
      await eventually(() => home.exists('tried'), 'it has tried')
      if (hasNamespace) expect(switchesOf(home.path)).toEqual([before])
      else {
        await home.logged('switch-gone')
        await eventually(() => switchesOf(home.path).some((pid) => pid !== before), 'there is another one')
      }
      await isStillGuarded(home, supervisor.kill)
    })
  }

  attack(record, async (options) => {
    const forged = `printf '{"run":"%s","lease_ms":10000}\\n' "$FLEET_RUN_ID"`
    const script = `${forged} >"$FLEET_TASK_DIR/attempts/1/ended-by-switch.json"; exit 3`
    const { home, supervisor, id } = await attacked(server, options, script)
    await home.becomes(id, 'blocked')
    await eventually(() => home.openRuns() === 0, 'it is settled')
    expect(home.runsOf(id)).toMatchObject([{ outcome: { code: 'error' } }])
    expect(home.stateOf(id)).toMatchObject({ failures: 1 })
    supervisor.kill('SIGTERM')
    await supervisor.exited
  })

  attack(both, async (options) => {
    const script = `${each(`if ${IS_SWITCH} || { ${IS_SUPERVISOR}; }; then kill -KILL "\${p#/proc/}"; fi`)}; ${WORK_ON}`
    const { home, supervisor, before, hasNamespace } = await attacked(server, options, script)
    await eventually(() => home.exists('tried'), 'it has tried')
    if (hasNamespace) {
      expect(switchesOf(home.path)).toEqual([before])
      return await isStillGuarded(home, supervisor.kill)
    }
    await supervisor.exited
    const diedAt = performance.now()
    await eventually(() => performance.now() - diedAt > 11_000, 'its lease has expired')
    expect(home.agents().length).toBeGreaterThan(0)
    home.touch('go')
    await home.expectNoAgents()
  })
})
