import { expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { allCases, sample } from '../support/damage.ts'
import { expectAllSettled } from '../support/damage-fleet.ts'
import { ROWS } from './slots.rows.ts'

const { damage } = ROWS.attacks

/** All of them: slots-all.test.ts. */
attack(damage, async (options) => {
  const cases = sample(allCases({ isRoot: options.uid === undefined && process.getuid?.() === 0 }), {
    seed: 18,
    count: 16,
  })
  expect(cases).toHaveLength(16)
  await expectAllSettled(cases, options)
})
