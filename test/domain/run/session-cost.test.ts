import { expect, test } from 'vitest'
import { NO_FIGURES, type Run } from '../../../src/domain/run/run.ts'
import { costBefore } from '../../../src/domain/run/session-cost.ts'
import { runOf } from '../../support/runs.ts'

const cost = (attempt: number, session: string | null, costUsd: number | null): Run =>
  runOf({ attempt, figures: { ...NO_FIGURES, session, costUsd } })

test('the earlier cost of a session is the sum of its earlier runs', () => {
  const runs = [cost(1, 'a', 0.5), cost(2, 'b', 7), cost(3, 'a', null), cost(4, 'a', 0.25), cost(5, 'a', 9)]
  expect(costBefore({ attempt: 5, resumes: 'a' }, runs)).toBe(0.75)
  expect(costBefore({ attempt: 3, resumes: 'b' }, runs)).toBe(7)
})

test('a new session has no earlier cost', () => {
  expect(costBefore({ attempt: 2, resumes: null }, [cost(1, null, 3)])).toBe(0)
})
