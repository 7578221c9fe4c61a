import { describe, test } from 'vitest'
import { bdBinary } from './bd.ts'
import { noteCompared, wasCompared } from './checked.ts'
import { perform } from './harness.ts'
import { GENERATED, type RecordedScript, SCRIPTS } from './scripts.ts'

const isRecording = process.env['FLEET_TEST_RECORDS'] === '1'

/** The number of generated scripts compared in one run: bd takes seconds for each. */
const AT_A_TIME = 8

const isAsked = (script: RecordedScript) => bdBinary !== '' && (isRecording || !wasCompared(script))
const later = new Set(isRecording ? [] : GENERATED.filter(isAsked).slice(AT_A_TIME))

/**
 * Checks that the recordings match the real bd. `npm run record` rewrites them; with a name (`npm run record -- -t
 * "seed 012"`) only that one. It compares what was not compared before, but only a few of the generated scripts,
 * to keep a run short: the next run continues with the others.
 */
for (const { topic, scripts } of SCRIPTS) {
  describe.skipIf(bdBinary === '').concurrent(topic, () => {
    for (const script of scripts) {
      const isLeft = later.has(script) || !isAsked(script)
      const why = later.has(script) ? ', in a later run' : isLeft ? ', as compared before' : ''
      test(`${script.name}${why}`, { timeout: 600_000 }, async ({ expect }) => {
        if (isLeft) return
        const observed = await perform(script, { kind: 'bd', binary: bdBinary })
        await expect(`${JSON.stringify(observed, undefined, 1)}\n`).toMatchFileSnapshot(script.recording)
        noteCompared(script)
      })
    }
  })
}
