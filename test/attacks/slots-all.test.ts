import { attack } from '../support/attack.ts'
import { allCases } from '../support/damage.ts'
import { expectAllSettled } from '../support/damage-fleet.ts'
import { ROWS } from './slots.rows.ts'

/** Every file, every deed, every moment. */
attack(ROWS.attacks.damage, async (options) => {
  await expectAllSettled(allCases({ isRoot: options.uid === undefined && process.getuid?.() === 0 }), options)
})
