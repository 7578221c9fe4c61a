import { expect, test } from 'vitest'
import { attemptChain } from '../../../src/domain/run/attempt-chain.ts'
import type { OutcomeCode } from '../../../src/domain/run/outcome.ts'
import type { Run } from '../../../src/domain/run/run.ts'

/** Attempts of one task, by their outcomes; `null`: the one that is being judged. */
const attempts = (...codes: readonly (OutcomeCode | null)[]): readonly Run[] =>
  codes.map((code, n) => ({ attempt: n + 1, cwd: '/p', outcome: code === null ? null : { code, text: '' } }) as Run)

const begunWith = (runs: readonly Run[]) => attemptChain(runs, runs.at(-1) as Run).map(({ attempt }) => attempt)

test.each<[string, readonly (OutcomeCode | null)[], readonly number[]]>([
  ['the first attempt has only itself', [null], [1]],
  [
    'what was interrupted or fell short is gone on with',
    ['overload', 'stalled', 'no-claim', 'killed', null],
    [1, 2, 3, 4, 5],
  ],
  ['after it was done, new work begins', ['no-claim', 'done', null], [3]],
  ['so it does after a review was asked for', ['needs-review', 'error', null], [2, 3]],
  ['and after a person took it away', ['taken-away', null], [2]],
])('%s', (_, codes, expected) => {
  expect(begunWith(attempts(...codes))).toEqual(expected)
})

test('another directory is other work', () => {
  const [first, ...rest] = attempts('no-claim', 'no-claim', null)
  expect(begunWith([{ ...(first as Run), cwd: '/elsewhere' }, ...rest])).toEqual([2, 3])
})
