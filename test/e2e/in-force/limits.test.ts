import { expect, test } from 'vitest'
import { testFleet } from '../../support/supervisor.ts'
import { rowsOf } from './rows.ts'

const { row, expectAll } = rowsOf('limits')

test('how much memory an agent may use, with all that it starts', async () => {
  const fleet = testFleet({ config: ['limits.memory=400MB', 'max_attempts=1'] })
  const filling = (megabytes: number) =>
    `node -e 'const kept = Buffer.alloc(${megabytes} << 20, 1); setTimeout(() => console.log(kept.length), 6000)'`
  const greedy = fleet.create('Greedy', `(sh -c "${filling(700).replaceAll('"', '\\"')}" & wait); true`)
  const modest = fleet.create('Modest', filling(50))
  await fleet.start()
  await row('limits.memory', async () => {
    await fleet.settled(greedy, 'blocked')
    expect(fleet.runs(greedy)).toMatchObject([{ outcome: { code: 'out-of-memory' } }])
    expect(fleet.runs(greedy)[0]?.outcome?.text).toMatch(
      /^its processes used [\d.]+ [MG]B of memory, and limits\.memory is 400 MB.*: node \(pid \d+\) [\d.]+ MB/,
    )
    await fleet.settled(modest, 'closed')
  })
})

test('every row of this file was shown', () => expectAll())
