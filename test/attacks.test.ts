import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { topics } from './docs/attacks-reference.ts'

test('every row of an attack has a test beside it, unless it is open', async () => {
  const untried = (await topics()).flatMap(({ file, attacks }) => {
    const tests = testsOf(file.replace('.rows.ts', ''))
    return Object.entries(attacks)
      .filter(([name, { verdict }]) => verdict !== 'open' && !new RegExp(`\\b${name}\\b`).test(tests))
      .map(([name]) => `${file}: ${name}`)
  })
  expect(untried).toEqual([])
})

/** `slots.test.ts`, and `slots-commands.test.ts` beside it. */
function testsOf(topic: string): string {
  const folder = join(import.meta.dirname, 'attacks')
  const files = readdirSync(folder).filter((name) => name.startsWith(topic) && name.endsWith('.test.ts'))
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
}
