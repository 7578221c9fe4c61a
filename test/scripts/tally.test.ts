import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { counting, reporters, summary } from '../../scripts/tally.mjs'
import { run, temporaryFolder } from '../support/cli.ts'

function afterTold(told: object | undefined, status: number | null) {
  const { env, results } = counting()
  const [file = ''] = Object.values(env)
  mkdirSync(dirname(file), { recursive: true })
  if (told !== undefined) writeFileSync(file, JSON.stringify(told))
  return results(status)
}

test('a test run counts its tests', () => {
  const told = { numPassedTests: 12, numFailedTests: 2, numPendingTests: 3, numTodoTests: 1 }
  expect(afterTold(told, 1)).toEqual({ passed: 12, failed: 2, skipped: 4 })
})

test('a test run that fails without a failed test counts as a failure', () => {
  expect(afterTold({ numPassedTests: 12, numFailedTests: 0 }, 1)).toEqual({ passed: 12, failed: 1, skipped: 0 })
  expect(afterTold(undefined, null)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('a step that is no test run counts as one check', () => {
  expect(afterTold(undefined, 0)).toEqual({ passed: 1, failed: 0, skipped: 0 })
  expect(afterTold(undefined, 2)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('the summary adds up', () => {
  const tallies = [
    { passed: 12, failed: 0, skipped: 3 },
    { passed: 1, failed: 1, skipped: 0 },
  ]
  expect(summary(tallies)).toBe('13 passed, 1 failed, 3 skipped')
  expect(summary([])).toBe('0 passed, 0 failed, 0 skipped')
})

test('CI that fails before its first check does not end with "0 failed"', () => {
  const script = join(import.meta.dirname, '../../scripts/tally.mjs')
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'scripts'))
  copyFileSync(script, join(folder, 'scripts/tally.mjs'))
  const said = (status: string) => run(process.execPath, [join(folder, 'scripts/tally.mjs'), status]).stdout
  expect(said('0')).toBe('0 passed, 0 failed, 0 skipped\n')
  expect(said('1')).toBe('0 passed, 1 failed, 0 skipped\n')
})

test('a run that nobody counts leaves no results', () => {
  const { env } = counting()
  const [name = ''] = Object.keys(env)
  const before = process.env[name]
  delete process.env[name]
  expect(reporters('default')).toEqual(['default'])
  process.env[name] = 'somewhere.json'
  expect(reporters('default')).toEqual(['default', ['json', { outputFile: 'somewhere.json' }]])
  if (before === undefined) delete process.env[name]
  else process.env[name] = before
})
