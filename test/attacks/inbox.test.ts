import { expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { claims, init, result, testFleet } from '../support/supervisor.ts'
import { ROWS } from './inbox.rows.ts'

const { word } = ROWS.attacks

attack(word, async (options) => {
  const fleet = testFleet({ ...options, config: [...(options.config ?? []), 'max_attempts=1'] })
  const id = fleet.create('Say it is done', [init, claims('4966 of 4966 tests pass'), result()])
  await fleet.start()
  await fleet.settled(id, 'blocked')
  expect(fleet.receipt(id)).toMatchObject({
    outcome: { code: 'no-evidence' },
    claim: { summary: '4966 of 4966 tests pass' },
  })
})
