import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Observed, perform } from './harness.ts'
import { SCRIPTS, WRITTEN } from './scripts.ts'

/**
 * `fleet bd` against what the real bd printed for the same commands (recorded/, checked by bd-prints.test.ts), and
 * against what it printed itself before where it differs on purpose (recorded-fleet/, written anew with --update).
 */
for (const { topic, scripts } of WRITTEN) {
  describe.concurrent(topic, () => {
    for (const script of scripts) {
      test(script.name, async ({ expect }) => {
        const bd = JSON.parse(readFileSync(script.recording, 'utf8')) as readonly Observed[]
        const fleet = await perform(script, { kind: 'fleet' })
        script.steps.forEach((step, i) => {
          if (step.differs === undefined) expect(fleet[i]).toEqual(bd[i])
          else expect(fleet[i]?.code).toBe(step.code ?? bd[i]?.code)
        })
        const own = fleet.filter((_, i) => script.steps[i]?.differs !== undefined)
        if (own.length > 0)
          await expect(`${JSON.stringify(own, undefined, 1)}\n`).toMatchFileSnapshot(script.ownRecording)
      })
    }
  })
}

test('no two scripts share a recording', () => {
  const files = SCRIPTS.flatMap(({ scripts }) => scripts.map((script) => script.recording))
  expect(new Set(files).size).toBe(files.length)
})
