import { test } from 'vitest'
import { compareWithBd } from './compare.ts'
import { type RecordedScript, WRITTEN } from './scripts.ts'

const shorter = (a: RecordedScript, b: RecordedScript) => (b.steps.length < a.steps.length ? b : a)

/** One script of each topic also runs with real processes; differential.test.ts runs them without. */
test.each(WRITTEN.map(({ topic, scripts }) => [topic, scripts.reduce(shorter)] as const))(
  '%s, with real processes',
  (_, script) => compareWithBd(script, { kind: 'fleet' }),
)
