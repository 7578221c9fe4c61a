import { expect, test } from 'vitest'
import { attemptChain, rejectionBefore, unacceptedAttempts } from '../../../src/domain/run/attempt-chain.ts'
import type { OutcomeCode } from '../../../src/domain/run/outcome.ts'
import type { Run } from '../../../src/domain/run/run.ts'

/** Attempts at one task, by their outcomes; `null`: the one being judged. */
const attempts = (...codes: readonly (OutcomeCode | null)[]): readonly Run[] =>
  codes.map((code, n) => ({ attempt: n + 1, cwd: '/p', outcome: code === null ? null : { code, text: '' } }) as Run)

/** As on macOS, where `/tmp` is a link. */
const isSame = (one: string, other: string) => one.replace(/^\/private\//, '/') === other.replace(/^\/private\//, '/')

const chainOf = (runs: readonly Run[], unjudged: readonly number[] = []) => {
  const facts = { isSameFolder: isSame, isUnjudged: ({ attempt }: Run) => unjudged.includes(attempt) }
  return attemptChain(runs, runs.at(-1) as Run, facts).map(({ attempt }) => attempt)
}

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

test('work about which the checks found out nothing is continued', () => {
  expect(chainOf(attempts('error', 'needs-review', null), [2])).toEqual([1, 2, 3])
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

test.each<[string, readonly (OutcomeCode | null)[], 'accepted' | 'rejected' | undefined, readonly number[]]>([
  ['that was sent back', ['needs-review', null], 'rejected', [1, 2]],
  ['that nobody has decided about', ['needs-review', 'error', null], undefined, [1, 2, 3]],
  ['that a person took away', ['taken-away', null], undefined, [1, 2]],
  ['but none that a person accepted', ['needs-review', 'error', null], 'accepted', [2, 3]],
  ['but none that was done', ['error', 'done', null], undefined, [3]],
])('work may be in the tree %s', (_, codes, decision, expected) => {
  const runs = attempts(...codes).map((run) => ({ ...run, id: `run-${run.attempt}` }))
  const review = { task: 'fleet-a', run: 'run-1', by: 'anna', at: 1, note: '' }
  const reviews = decision === undefined ? [] : [{ ...review, decision }]
  const found = unacceptedAttempts(runs.at(-1) as Run, { runs, reviews }, isSame)
  expect(found.map(({ attempt }) => attempt)).toEqual(expected)
})

test('work in another directory is not in this tree', () => {
  const [first, ...rest] = attempts('needs-review', 'error', null)
  const runs = [{ ...(first as Run), cwd: '/elsewhere' }, ...rest]
  expect(unacceptedAttempts(runs.at(-1) as Run, { runs, reviews: [] }, isSame).map(({ attempt }) => attempt)).toEqual([
    2, 3,
  ])
})
