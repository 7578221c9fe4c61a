import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coderFor } from '../../src/coders/registry.ts'
import type { Usage } from '../../src/domain/run/event.ts'
import { plus } from '../../src/domain/run/usage.ts'
import { understandsTheModel } from './alone.ts'
import type { RealCoder } from './coders/real-coder.ts'
import { INSTALLED } from './coders/registry.ts'
import { FleetWithCoder } from './fleet-with-coder.ts'
import { USUAL } from './model/turns.ts'
import { played } from './page.ts'
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

for (const { title, config, play, holdsFor = () => true } of SCENARIOS) {
  for (const coder of INSTALLED.filter(holdsFor))
    test.concurrent(`${coder.name}: ${title}`, async () =>
      await withFleet(coder, config, async (fleet) => await play(fleet)))
}

// These come last: they wait for nothing but the CLI.
for (const coder of INSTALLED) {
  test.concurrent(`${coder.name} alone understands the scripted model, the model understands it, and the variables that it sets for its commands are withheld from agents`, async () => {
    using _seat = await seats.get(coder.name)?.take()
    await understandsTheModel(coder)
  })

  test.concurrent(`${coder.name}: its page shows what fleet prints about finished work; the receipt has its evidence and usage`, async ({
    expect: here,
  }) => {
    await withFleet(coder, [], async (fleet) => {
      const { path, text, id, turns } = await played(fleet)
      await here(text).toMatchFileSnapshot(path)
      expect(readFileSync(join(fleet.project, 'SUMMARY.md'), 'utf8')).toBe('It sells shoes.\n')
      expect(fleet.receipt(id)).toMatchObject({
        coder: coder.name,
        claim: { how: 'letter', summary: 'one sentence, in SUMMARY.md' },
        level: 'evidenced',
        outcome: { code: 'done', text: 'one sentence, in SUMMARY.md' },
        evidence: { tool_calls: 1, files_changed: ['SUMMARY.md'], exit: { kind: 'code', code: 0 } },
        usage: { ...reported(coder, turns.map(() => USUAL).reduce(plus)), estimated: false },
        leftovers: [],
      })
    })
  })
}

/** With a seat of its coder, and a fleet of its own that leaves nothing behind. */
async function withFleet(
  coder: RealCoder,
  config: readonly string[] | undefined,
  act: (fleet: FleetWithCoder) => Promise<void>,
): Promise<void> {
  using _seat = await seats.get(coder.name)?.take()
  await using fleet = await FleetWithCoder.make(coder, config)
  await act(fleet)
  await fleet.end('SIGTERM')
  expect(fleet.processes()).toEqual([])
  expect(fleet.model.strangers.filter((host) => !coder.contacts.includes(host))).toEqual([])
}

function reported({ unreported }: RealCoder, usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => !unreported.includes(name as keyof Usage)))
}
