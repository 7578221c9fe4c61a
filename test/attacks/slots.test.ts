import { describe, expect } from 'vitest'
import { attack } from '../support/attack.ts'
import { allCases, deedOn, LOCKS, sample } from '../support/damage.ts'
import { expectAllSettled, withOneAttempt } from '../support/damage-fleet.ts'
import { ROWS } from './slots.rows.ts'

const { damage, stopping } = ROWS.attacks

/** All of them: slots-all.test.ts. */
attack(damage, async (options) => {
  const isRoot = options.uid === undefined && process.getuid?.() === 0
  await expectAllSettled(sample(allCases({ isRoot }), { seed: 18, count: 16 }), options)
})

describe('once', () => {
  attack(stopping, (options) => {
    const fleet = withOneAttempt(options)
    for (const [target, deed] of Object.values(LOCKS)) fleet.create('Once', deedOn(target, deed))
    const { code, stdout } = fleet.fleet('run', '--once')
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('evidence of its run was destroyed'),
    })
  })
})

describe('as long as a file can be', () => {
  attack(damage, (options) => {
    const fleet = withOneAttempt(options)
    // The first size is the limit of tmpfs and others, the second that of ext4.
    const lengthen = 'truncate -s 9223372036854775807 "$F" || truncate -s 17592186040320 "$F"'
    const files = ['events.jsonl', 'log.jsonl', '.failures']
    const deeds = files.map((file) => `F="$FLEET_TASK_DIR/${file}"; { ${lengthen}; } 2>/dev/null`)
    fleet.create('Lengthen', `${deeds.join('\n')}\nfleet note working; echo working; sleep 1.2; echo done`)
    expect(fleet.fleet('run', '--once')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 done') })
  })
})
