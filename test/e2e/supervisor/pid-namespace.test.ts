import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasNamespace } from '../../support/agents.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'

const OURS = readlinkSync('/proc/self/ns/pid')

test('pid_namespace = on starts no agent where there is no pid namespace, and says so once', async () => {
  const fleet = await fleetHome(['pid_namespace=on'])
  const id = await fleet.script('echo ran >>ends')
  // Where processes are read through ps there is none, on any machine.
  await fleet.supervise({ env: { FLEET_PROCESS_TABLE: 'ps' } })
  const stopped = await fleet.logged('claiming-stopped')
  expect(stopped['why']).toMatch(/^pid_namespace is "on", and (this machine makes none|only root can make one): /)
  expect(fleet.fleet(['tasks']).stdout).toContain('pid_namespace is "on"')
  expect([await fleet.status(id), fleet.runsOf(id)]).toEqual(['open', []])
  expect(fleet.fleet(['config', 'set', 'pid_namespace=auto']).code).toBe(0)
  await fleet.becomes(id, 'closed')
  expect(fleet.lines('ends')).toEqual(['ran'])
  expect(fleet.log().filter(({ event }) => event === 'claiming-stopped')).toHaveLength(1)
})

test.runIf(hasNamespace)('a running supervisor applies a change of pid_namespace to the next run', async () => {
  const fleet = await fleetHome(['pid_namespace=auto'])
  await fleet.supervise()
  const readAgain = (): number => fleet.log().filter(({ event }) => event === 'config-reloaded').length
  const seen: unknown[] = []
  for (const setting of ['auto', 'off', 'on']) {
    if (setting !== 'auto') {
      const before = readAgain()
      expect(fleet.fleet(['config', 'set', `pid_namespace=${setting}`]).code).toBe(0)
      await eventually(() => readAgain() > before, 'the supervisor has read it')
    }
    const id = await fleet.script(`readlink /proc/self/ns/pid >${setting}`)
    await fleet.becomes(id, 'closed')
    const record = JSON.parse(readFileSync(join(fleet.path, 'tasks', id, 'attempts/1/launch.json'), 'utf8'))
    const inLedger = fleet.runsOf(id).map(({ namespace }) => namespace)
    seen.push([setting, fleet.lines(setting)[0] !== OURS, record.namespace, ...inLedger])
  }
  expect(seen).toEqual([
    ['auto', true, true, true],
    ['off', false, false, false],
    ['on', true, true, true],
  ])
  await fleet.expectNoAgents()
})
