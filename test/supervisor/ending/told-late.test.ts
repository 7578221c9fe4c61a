import { expect, test } from 'vitest'
import { shell } from '../../../src/coders/shell/coder.ts'
import type { Receipt } from '../../../src/domain/run/receipt.ts'
import type { World } from '../../../src/supervisor/world.ts'
import { eventually } from '../../support/home-run.ts'
import { testWorld } from '../../support/world.ts'

/** It ends its turn, and no hook tells it anything. */
const worker: World['coders']['find'] = async () => ({
  ...shell,
  traits: { ...shell.traits, evidence: 'work' },
  launch: () => ({ args: ['-c', 'echo all done'], stdin: 'closed', env: {} }),
})

test.each(['before', 'after'] as const)(
  'a message that comes when the outcome is decided, %s the receipt is written, makes the run go on',
  async (when) => {
    let told = false
    const { world, script, supervisor } = await testWorld(undefined, ({ attempts, coders, ledger }) => ({
      coders: { ...coders, find: worker },
      attempts: {
        ...attempts,
        replace(...asked) {
          const [task, , name] = asked
          const isFirst = name === 'receipt.json' && !told
          if (isFirst) {
            told = true
            if (when === 'after') attempts.replace(...asked)
            ledger.messages.add({ task, comment: 'c1', by: 'anna', at: 1, text: 'Use the new name' })
            if (when === 'before') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
          } else {
            attempts.replace(...asked)
          }
        },
      },
    }))
    const id = await script('true')
    await supervisor().start()
    await eventually(() => world.ledger.runsOf(id)[0]?.phase === 'settled', 'it is settled')
    const [first] = world.ledger.runsOf(id)
    const inFile = JSON.parse(world.attempts.read(id, 1, 'receipt.json') ?? '') as Receipt
    const inLedger = world.ledger.recordsOf(first?.id ?? '').receipt
    expect([first?.outcome, inLedger?.outcome, inFile.outcome]).toEqual(
      Array(3).fill({ code: 'told', text: 'it ended its turn before it had read a message of anna', by: 'anna' }),
    )
    expect(first?.next).toEqual({ to: 'open' })
  },
)
