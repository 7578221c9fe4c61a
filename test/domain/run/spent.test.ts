import { expect, test } from 'vitest'
import { type Figures, NO_FIGURES } from '../../../src/domain/run/run.ts'
import { spentBy } from '../../../src/domain/run/spent.ts'
import { runOf } from '../../support/runs.ts'

const ended = (figures: Partial<Figures>) =>
  runOf({ startedAt: 0, endedAt: 1000, figures: { ...NO_FIGURES, ...figures } })

test('time, tokens and cost of all ended attempts add up', () => {
  const runs = [
    ended({ usage: { input: 10, output: 1 }, costUsd: 0.5, session: 'a' }),
    ended({ usage: { input: 5, cacheRead: 4 }, costUsd: 0.25, session: 'b' }),
    runOf({ figures: { ...NO_FIGURES, usage: { input: 100 }, costUsd: 9 } }),
  ]
  expect(spentBy(runs)).toEqual({
    durationMs: 2000,
    usage: { input: 15, output: 1, cacheRead: 4 },
    costUsd: 0.75,
    tokensMissing: 0,
    costMissing: 0,
  })
})

test('an attempt that asked a model and did not tell what it cost is missing in the sum', () => {
  const runs = [ended({ costUsd: 0.75, usage: { input: 1 } }), ended({ session: 's' }), ended({ usage: { input: 2 } })]
  expect(spentBy(runs)).toMatchObject({ costUsd: 0.75, costMissing: 2, tokensMissing: 1 })
})

test('a script, and an agent that ended before it began, are missing nothing', () => {
  expect(spentBy([ended({}), ended({})])).toMatchObject({ costUsd: null, costMissing: 0, tokensMissing: 0, usage: {} })
})
