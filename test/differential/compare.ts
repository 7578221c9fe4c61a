import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { type Observed, perform, type Side } from './harness.ts'
import type { RecordedScript } from './scripts.ts'

/** Compares every step with bd's output, except marked ones: those are compared with fleet's earlier output. */
export async function compareWithBd(script: RecordedScript, side: Side): Promise<void> {
  const bd = JSON.parse(readFileSync(script.recording, 'utf8')) as readonly Observed[]
  const fleet = await perform(script, side)
  script.steps.forEach((step, i) => {
    if (step.differs === undefined) expect(fleet[i]).toEqual(bd[i])
    else expect(fleet[i]?.code).toBe(step.code ?? bd[i]?.code)
  })
  const own = fleet.filter((_, i) => script.steps[i]?.differs !== undefined)
  if (own.length > 0) await expect(`${JSON.stringify(own, undefined, 1)}\n`).toMatchFileSnapshot(script.ownRecording)
}
