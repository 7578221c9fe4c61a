import { expect, test } from 'vitest'
import { questionsIn } from '../../src/home/left-task.ts'

const SINCE = Date.parse('2026-09-01T00:00:00Z')

test('questions of Q&A.md are paired with the answers below them, and the last one may be open', () => {
  const text = `# Questions

## Q: 2026-08-01 10:00
Which database?

## A: 2026-08-01 11:00
Postgres.

## A:
Or SQLite.

## Q: Which port?
`
  expect(
    questionsIn('fleet-a', text, SINCE).map(({ run, text: asked, answer, answeredBy }) => [
      run,
      asked,
      answer,
      answeredBy,
    ]),
  ).toEqual([
    ['question-1', 'Which database?', 'Postgres.\n\nOr SQLite.', 'hand'],
    ['question-2', 'Which port?', null, null],
  ])
  expect(questionsIn('fleet-a', text, SINCE)[1]?.askedAt).toBe(SINCE)
  expect(questionsIn('fleet-a', 'nothing', SINCE)).toEqual([])
})
