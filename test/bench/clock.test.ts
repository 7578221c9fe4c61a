import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EPOCH, elapsed, now, possible } from '../../bench/clock.mjs'
import { secondsOf } from '../../bench/measure.mjs'
import { run, temporaryFolder } from '../support/cli.ts'

const BENCH = join(import.meta.dirname, '../../bench')

test('a span that could have been measured is given back', () => {
  const from = now()
  const to = now()
  expect(elapsed(from, to)).toBe(to - from)
  expect(elapsed(to, from, { signed: true })).toBe(from - to)
})

test.each([
  ['below zero', () => elapsed(now(), now() - 167_453)],
  ['no number', () => elapsed(Number.NaN)],
  ['undefined', () => elapsed(undefined as unknown as number)],
  ['longer than the run', () => elapsed(now() - 3_600_000)],
  ['infinite', () => possible(Number.POSITIVE_INFINITY)],
  ['longer than the run, the other way round', () => elapsed(now(), now() - 3_600_000, { signed: true })],
  ['of a worker that ended before it began', () => secondsOf([{ began: now(), ended: now() - 1 }])],
])('a figure that is %s fails the benchmark', (_what, measured) => {
  expect(measured).toThrow(/is no possible figure of a benchmark that began \d+ ms ago/)
})

test('all processes share the clock', () => {
  const script = `import(${JSON.stringify(join(BENCH, 'clock.mjs'))}).then(({ now }) => console.log(now()))`
  const before = now()
  const there = Number(run(process.execPath, ['-e', script]).stdout)
  expect(there).toBeGreaterThan(before)
  expect(there).toBeLessThan(now())
})

test('the dates of a supervisor under measurement follow that clock, although the wall clock jumps', () => {
  const shift = join(temporaryFolder(), 'shift')
  writeFileSync(shift, '-167453000')
  const preloads = [join(import.meta.dirname, '../support/shifted-clock.cjs'), join(BENCH, 'steady-clock.cjs')]
  const argv = [...preloads.flatMap((file) => ['--require', file]), '-p', '[Date.now(), new Date().getTime()].join()']
  const before = Math.floor(now())
  const { stdout } = run(process.execPath, argv, { env: { FLEET_BENCH_EPOCH: String(EPOCH), SHIFTED_CLOCK: shift } })
  for (const date of stdout.split(',').map(Number)) {
    expect(date - EPOCH).toBeGreaterThanOrEqual(before)
    expect(date - EPOCH).toBeLessThanOrEqual(now())
  }
})

/** Where a date is data, and no measurement. */
const DATES = ['anchors/claim-close.cjs', 'clock.mjs', 'evidence.mjs', 'workers/ingest.ts']

test('no benchmark measures by the wall clock', () => {
  const users = readdirSync(BENCH, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(mjs|cjs|ts)$/.test(name))
    .filter((name) => /Date\.now|performance\.timeOrigin/.test(readFileSync(join(BENCH, name), 'utf8')))
  expect(users.sort()).toEqual(DATES)
})
