import { expect, test } from 'vitest'
import { coderFor } from '../../src/coders/registry.ts'
import { INSTALLED } from './coders/registry.ts'
import { FleetWithCoder } from './fleet-with-coder.ts'
import { SCENARIOS } from './scenarios.ts'
import { Seats } from './seats.ts'

test('every coder installed for these tests is one that fleet can run, and runs here', async () => {
  const installed = Object.keys(JSON.parse(process.env['FLEET_REAL_CODERS'] ?? '{}'))
  expect(installed).not.toEqual([])
  const known = await Promise.all(installed.map(async (name) => (await coderFor(name))?.name))
  expect({ known, played: INSTALLED.map(({ name }) => name).sort() }).toEqual({
    known: installed,
    played: [...installed].sort(),
  })
})

const seats = new Map(INSTALLED.map(({ name, atOnce }) => [name, new Seats(atOnce)]))

for (const { title, config, play } of SCENARIOS) {
  for (const coder of INSTALLED) {
    test.concurrent(`${coder.name}: ${title}`, async () => {
      using _seat = await seats.get(coder.name)?.take()
      await using fleet = await FleetWithCoder.make(coder, config)
      await play(fleet)
      await fleet.end('SIGTERM')
      expect(fleet.processes()).toEqual([])
      expect(fleet.model.strangers.filter((host) => !coder.contacts.includes(host))).toEqual([])
    })
  }
}
