import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bdBinary } from './bd.ts'
import { perform, type Script } from './harness.ts'

const folder = join(import.meta.dirname, 'scripts')

for (const file of readdirSync(folder)) {
  const { scripts } = (await import(join(folder, file))) as { scripts: readonly Script[] }
  describe.skipIf(bdBinary === '')(file.replace('.ts', ''), () => {
    for (const script of scripts) {
      test(script.name, { timeout: 300_000 }, () => {
        const bd = perform(script, { kind: 'bd', binary: bdBinary })
        const fleet = perform(script, { kind: 'fleet' })
        script.steps.forEach((step, i) => {
          if (step.differs === undefined) expect(fleet[i]).toEqual(bd[i])
          else expect(fleet[i]?.code).toBe(bd[i]?.code)
        })
      })
    }
  })
}
