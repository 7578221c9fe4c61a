import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { topics } from './docs/attacks-reference.ts'

test('every row of an attack has a test beside it, unless it is open', async () => {
  const untried = (await topics()).flatMap(({ file, attacks }) => {
    const tests = readFileSync(join(import.meta.dirname, 'attacks', file.replace('.rows.ts', '.test.ts')), 'utf8')
    return Object.entries(attacks)
      .filter(([name, { verdict }]) => verdict !== 'open' && !new RegExp(`\\b${name}\\b`).test(tests))
      .map(([name]) => `${file}: ${name}`)
  })
  expect(untried).toEqual([])
})
