import { expect, test } from 'vitest'
import { attemptChain, rejectionBefore } from '../../../src/domain/run/attempt-chain.ts'
import type { OutcomeCode } from '../../../src/domain/run/outcome.ts'
import type { Run } from '../../../src/domain/run/run.ts'

/** Attempts at one task, by their outcomes; `null`: the one being judged. */
const attempts = (...codes: readonly (OutcomeCode | null)[]): readonly Run[] =>
  codes.map((code, n) => ({ attempt: n + 1, cwd: '/p', outcome: code === null ? null : { code, text: '' } }) as Run)

/** As on macOS, where `/tmp` is a link. */
const isSame = (one: string, other: string) => one.replace(/^\/private\//, '/') === other.replace(/^\/private\//, '/')

const chainOf = (runs: readonly Run[]) => attemptChain(runs, runs.at(-1) as Run, isSame).map(({ attempt }) => attempt)

test.each<[string, readonly (OutcomeCode | null)[], readonly number[]]>([
  ['the first attempt continues nothing', [null], [1]],
  [
    'interrupted attempts and rejected claims are continued',
    ['overload', 'stalled', 'no-claim', 'killed', null],
    [1, 2, 3, 4, 5],
  ],
  ['after `done` new work begins', ['no-claim', 'done', null], [3]],
  ['after `needs-review` new work begins', ['needs-review', 'error', null], [2, 3]],
  ['after a person took the task away new work begins', ['taken-away', null], [2]],
])('%s', (_, codes, expected) => {
  expect(chainOf(attempts(...codes))).toEqual(expected)
})

test('an attempt in another directory is not continued', () => {
  const [first, ...rest] = attempts('no-claim', 'no-claim', null)
  expect(chainOf([{ ...(first as Run), cwd: '/elsewhere' }, ...rest])).toEqual([2, 3])
})

test('an attempt in the same directory under another name is continued', () => {
  const [first, ...rest] = attempts('no-claim', 'no-claim', null)
  expect(chainOf([{ ...(first as Run), cwd: '/private/p' }, ...rest])).toEqual([1, 2, 3])
})

test('the work that a chain began with counts as sent back by the last decision about it', () => {
  const runs = attempts('needs-review', 'never-started', null).map((run) => ({ ...run, id: `run-${run.attempt}` }))
  const [reviewed, first, last] = runs as [Run, Run, Run]
  const review = (decision: 'accepted' | 'rejected', run: Run, at: number) => {
    return { task: 'fleet-a', run: run.id, decision, by: 'anna', at, note: 'say b' }
  }
  const rejected = review('rejected', reviewed, 1)
  expect(rejectionBefore(first, { runs, reviews: [rejected] })).toBe(rejected)
  expect(rejectionBefore(first, { runs, reviews: [rejected, review('accepted', reviewed, 2)] })).toBeUndefined()
  expect(rejectionBefore(last, { runs, reviews: [rejected] })).toBeUndefined()
  expect(rejectionBefore(reviewed, { runs, reviews: [rejected] })).toBeUndefined()
})
