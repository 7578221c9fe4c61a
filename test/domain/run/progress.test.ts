import { expect, test } from 'vitest'
import type { RecordedChanges } from '../../../src/domain/run/changes.ts'
import type { OutcomeCode } from '../../../src/domain/run/outcome.ts'
import { judgedByProgress } from '../../../src/domain/run/progress.ts'

const nothing = undefined
const something: RecordedChanges = { files: ['made.txt'], commits: [], artifacts: [] }
type Attempt = readonly [OutcomeCode, RecordedChanges | undefined]

test.each<[string, Attempt | undefined, Attempt, OutcomeCode]>([
  ['the first attempt may fall short', undefined, ['no-claim', nothing], 'no-claim'],
  ['nothing new twice in a row is no progress', ['no-claim', nothing], ['no-claim', nothing], 'no-progress'],
  ['whatever it says', ['no-evidence', nothing], ['no-claim', nothing], 'no-progress'],
  ['and again', ['no-progress', nothing], ['no-evidence', nothing], 'no-progress'],
  ['a file before is progress', ['no-claim', something], ['no-claim', nothing], 'no-claim'],
  ['so is one now', ['no-claim', nothing], ['no-claim', something], 'no-claim'],
  ['who was limited before had no chance', ['usage-limit', nothing], ['no-claim', nothing], 'no-claim'],
  ['trouble keeps its own reason', ['no-claim', nothing], ['error', nothing], 'error'],
  ['a question is an end of its own', ['no-claim', nothing], ['question', nothing], 'question'],
  ['what is done is done', ['no-claim', nothing], ['done', nothing], 'done'],
])('%s', (_, before, [code, changed], expected) => {
  const earlier = before && { outcome: { code: before[0], text: 'then' }, changed: before[1] }
  const text = expected === 'no-progress' ? 'no progress in two attempts: now' : 'now'
  expect(judgedByProgress({ code, text: 'now' }, changed, earlier)).toEqual({ code: expected, text })
})
