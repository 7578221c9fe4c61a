import { test } from 'vitest'
import { compareWithBd } from './compare.ts'
import { WRITTEN } from './scripts.ts'

/** What differential.test.ts runs without processes runs with them as well, once for each topic. */
const first = WRITTEN.flatMap(({ topic, scripts: [script] }) =>
  script === undefined ? [] : [[topic, script] as const],
)

test.each(first)('%s, by processes', (_, script) => compareWithBd(script, { kind: 'fleet' }))
