import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasNamespace } from '../../support/agents.ts'
import { eventually, fleetHome } from '../../support/home-run.ts'

const OURS = readlinkSync('/proc/self/ns/pid')

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
