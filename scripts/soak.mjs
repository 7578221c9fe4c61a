#!/usr/bin/env node
// Runs for a long time what has to hold every time: storms of kills, and the tests again and again beside busy processes.
//   npm run soak              about an hour on two cores: whole storms, then three times all tests beside four busy loops
//   npm run soak -- --short   about a minute: a small storm, then the tests of start and stop beside four busy loops
//   npm run soak -- --rounds=10
// Ends at the first failure.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { counting, summary } from './tally.mjs'

process.chdir(join(import.meta.dirname, '..'))
process.env.CI = 'true'
const { values } = parseArgs({ options: { short: { type: 'boolean' }, rounds: { type: 'string' } } })

const BUSY_LOOPS = 4
/** Ends with this process, however that ends. */
const BUSY = 'const { ppid } = process; while (process.ppid === ppid);'
const VITEST = join('node_modules', 'vitest', 'vitest.mjs')
/** The tests that race with the beginning and the end of processes. */
const RACING = ['test/e2e/run-status.test.ts', 'test/e2e/run-start.test.ts', 'test/actions']

const short = values.short === true
const rounds = Number(values.rounds ?? (short ? 1 : 3))
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`soak: --rounds is "${values.rounds}", expected a positive whole number`)
  process.exit(2)
}

const tallies = []
perform('kill-storm', ['bench/run.mjs', 'kill-storm', ...(short ? ['--short'] : [])])
// Their short forms are tests of the rest: test/e2e/supervisor-faults/storm.test.ts, test/e2e/landing/storm.test.ts.
if (!short) {
  perform('storm-postgres', ['bench/run.mjs', 'storm-postgres'])
  perform('storm of landings', [VITEST, 'run', 'test/e2e/landing/storm.test.ts'], { FLEET_LANDING_ROUNDS: '50' })
}
for (let round = 1; round <= rounds; round++) {
  const loops = Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }))
  try {
    const vitest = [VITEST, 'run', ...(short ? RACING : [])]
    perform(`tests beside ${BUSY_LOOPS} busy loops, ${round} of ${rounds}`, vitest)
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
  }
}
console.log(`\nsoak: ${summary(tallies)}`)

function perform(name, argv, env = {}) {
  console.log(`\n== ${name}`)
  const counted = counting()
  const { status, error } = spawnSync(process.execPath, argv, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...counted.env, ...env },
  })
  if (error) throw error
  const tally = counted.results(status)
  tallies.push(tally)
  if (status === 0) return
  process.exitCode = 1
  throw new Error(`soak: ${name} failed: ${summary(tallies)}`)
}
