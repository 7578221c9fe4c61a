import { test } from 'vitest'
import { compareWithBd } from './compare.ts'
import { type RecordedScript, WRITTEN } from './scripts.ts'

const shorter = (a: RecordedScript, b: RecordedScript) => (b.steps.length < a.steps.length ? b : a)

/** What differential.test.ts runs without processes runs with them as well, one script of each topic. */
test.each(WRITTEN.map(({ topic, scripts }) => [topic, scripts.reduce(shorter)] as const))(
  '%s, by processes',
  (_, script) => compareWithBd(script, { kind: 'fleet' }),
)
