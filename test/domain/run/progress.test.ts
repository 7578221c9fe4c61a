import { expect, test } from 'vitest'
import type { RecordedChanges } from '../../../src/domain/run/changes.ts'
import type { OutcomeCode } from '../../../src/domain/run/outcome.ts'
import { judgedByProgress } from '../../../src/domain/run/progress.ts'

const nothing = undefined
const something: RecordedChanges = { files: ['made.txt'], commits: [], artifacts: [] }
type Attempt = readonly [OutcomeCode, RecordedChanges | undefined]

test.each<[string, Attempt | undefined, Attempt, OutcomeCode]>([
  ['the first attempt may fail without changes', undefined, ['no-claim', nothing], 'no-claim'],
  [
    'two attempts in a row without changes are no progress',
    ['no-claim', nothing],
    ['no-claim', nothing],
    'no-progress',
  ],
  ['whether the agent claimed to be done or not', ['no-evidence', nothing], ['no-claim', nothing], 'no-progress'],
  [
    'a third one without changes is no progress either',
    ['no-progress', nothing],
    ['no-evidence', nothing],
    'no-progress',
  ],
  ['a changed file in the previous attempt is progress', ['no-claim', something], ['no-claim', nothing], 'no-claim'],
  ['a changed file in this attempt is progress', ['no-claim', nothing], ['no-claim', something], 'no-claim'],
  ['an attempt that hit a limit does not count', ['usage-limit', nothing], ['no-claim', nothing], 'no-claim'],
  ['an error keeps its reason', ['no-claim', nothing], ['error', nothing], 'error'],
  ['a question stays a question', ['no-claim', nothing], ['question', nothing], 'question'],
  ['done stays done', ['no-claim', nothing], ['done', nothing], 'done'],
])('%s', (_, before, [code, changed], expected) => {
  const earlier = before && { outcome: { code: before[0], text: 'then' }, changed: before[1] }
  const text = expected === 'no-progress' ? 'no progress in two attempts: now' : 'now'
  expect(judgedByProgress({ code, text: 'now' }, changed, earlier)).toEqual({ code: expected, text })
})
