import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { perform, type Script } from './harness.ts'

const binary = spawnSync(process.execPath, ['scripts/build-bd.mjs', '--cached'], { encoding: 'utf8' }).stdout.trim()
const folder = join(import.meta.dirname, 'scripts')

if (binary === '')
  console.warn('\n*** the real bd is not built (node scripts/build-bd.mjs): the differential suite is SKIPPED ***\n')

for (const file of readdirSync(folder)) {
  const { scripts } = (await import(join(folder, file))) as { scripts: readonly Script[] }
  describe.skipIf(binary === '')(file.replace('.ts', ''), () => {
    for (const script of scripts) {
      test(script.name, { timeout: 300_000 }, () => {
        const bd = perform(script, { kind: 'bd', binary })
        const fleet = perform(script, { kind: 'fleet' })
        script.steps.forEach((step, i) => {
          if (step.differs === undefined) expect(fleet[i]).toEqual(bd[i])
          else expect(fleet[i]?.code).toBe(bd[i]?.code)
        })
      })
    }
  })
}
