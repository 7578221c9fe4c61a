#!/usr/bin/env node
// Counts the tests and checks of several runs.
//   node scripts/tally.mjs 0      the sum of all runs since the last reset, as the last line of CI, whose exit code this is
//   node scripts/tally.mjs reset  forgets them
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const FILE = join(import.meta.dirname, '../.build/tally.jsonl')
const RESULTS = 'FLEET_TEST_RESULTS'
let asked = 0

/**
 * The reporters of a vitest run: the one for people, and the results for `resultsOf` if the caller counts them.
 * @param {string} shown
 * @returns {(string | [string, { outputFile: string }])[]}
 */
export function reporters(shown) {
  const file = process.env[RESULTS]
  return file ? [shown, ['json', { outputFile: file }]] : [shown]
}

/**
 * The environment in which a vitest run leaves its results, and a function that reads them afterwards.
 * @returns {{ env: Record<string, string>, results: (status: number | null) => Tally }}
 * @typedef {{ passed: number, failed: number, skipped: number }} Tally
 */
export function counting() {
  const file = join(dirname(FILE), `results-${process.pid}-${++asked}.json`)
  rmSync(file, { force: true })
  return {
    env: { [RESULTS]: file },
    results(status) {
      const told = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
      rmSync(file, { force: true })
      const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0 } = told
      // A file that cannot be loaded fails without a failed test. A step that is no test run is one check.
      const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests)
      const passed = 'numPassedTests' in told ? numPassedTests : Number(status === 0)
      return { passed, failed, skipped: numPendingTests + numTodoTests }
    },
  }
}

/** @param {Tally} tally */
export function count(tally) {
  mkdirSync(dirname(FILE), { recursive: true })
  appendFileSync(FILE, `${JSON.stringify(tally)}\n`)
}

/**
 * @param {readonly Tally[]} tallies
 * @returns {string} `12 passed, 0 failed, 3 skipped`
 */
export function summary(tallies) {
  const sum = (/** @type {keyof Tally} */ name) => tallies.reduce((all, each) => all + each[name], 0)
  return `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`
}

if (import.meta.filename === process.argv[1]) {
  if (process.argv[2] === 'reset') rmSync(FILE, { force: true })
  else {
    const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n').slice(0, -1) : []
    const tallies = lines.map((line) => JSON.parse(line))
    // A run can fail before its first check, for example while it installs.
    const unknown = process.argv[2] !== '0' && tallies.every(({ failed }) => failed === 0)
    console.log(summary(unknown ? [...tallies, { passed: 0, failed: 1, skipped: 0 }] : tallies))
  }
}
