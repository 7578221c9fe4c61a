import { describe, test } from 'vitest'
import { bdBinary } from './bd.ts'
import { noteCompared, wasCompared } from './checked.ts'
import { perform } from './harness.ts'
import { SCRIPTS } from './scripts.ts'

const isRecording = process.argv.includes('--update')

/** That the recordings are what the real bd prints. `npm run record` writes them anew. */
for (const { topic, scripts } of SCRIPTS) {
  describe.skipIf(bdBinary === '').concurrent(topic, () => {
    for (const script of scripts) {
      const isKnown = bdBinary !== '' && !isRecording && wasCompared(script)
      test(`${script.name}${isKnown ? ', as compared before' : ''}`, { timeout: 600_000 }, async ({ expect }) => {
        if (isKnown) return
        const observed = await perform(script, { kind: 'bd', binary: bdBinary })
        await expect(`${JSON.stringify(observed, undefined, 1)}\n`).toMatchFileSnapshot(script.recording)
        noteCompared(script)
      })
    }
  })
}
