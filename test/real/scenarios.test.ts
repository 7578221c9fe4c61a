import { expect, test } from 'vitest'
import { coderFor } from '../../src/coders/registry.ts'
import type { RealCoder } from './coders/real-coder.ts'
import { INSTALLED } from './coders/registry.ts'
import { FleetWithCoder } from './fleet-with-coder.ts'
import { SCENARIOS } from './scenarios.ts'
import { Seats } from './seats.ts'

const driven: RealCoder[] = []
for (const coder of INSTALLED) {
  if ((await coderFor(coder.name)) !== undefined) driven.push(coder)
  else console.warn(`\n*** fleet cannot run ${coder.name} yet: its scenarios are SKIPPED ***\n`)
}

const seats = new Map(driven.map(({ name, atOnce }) => [name, new Seats(atOnce)]))

for (const { title, config, play } of SCENARIOS) {
  for (const coder of driven) {
    test.concurrent(`${coder.name}: ${title}`, async () => {
      using _seat = await seats.get(coder.name)?.take()
      await using fleet = await FleetWithCoder.make(coder, config)
      await play(fleet)
      await fleet.end('SIGTERM')
      expect(fleet.processes()).toEqual([])
      expect(fleet.model.strangers.filter((host) => !coder.reachesFor.includes(host))).toEqual([])
    })
  }
}
