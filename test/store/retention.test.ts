import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../src/domain/run/run.ts'
import { openReading } from '../../src/platform/files/follow.ts'
import { Home } from '../../src/platform/files/home.ts'
import { retain } from '../../src/store/retention.ts'
import { temporaryFolder } from '../support/cli.ts'

const isRoot = process.getuid?.() === 0
const settled = { attempt: 1, phase: 'settled', endedAt: 0 } as Run
const TEXT = 'a line of output\n'.repeat(200)

/** A home in which these tasks have one settled attempt each. */
function homeWith(...tasks: readonly string[]) {
  const home = new Home(temporaryFolder())
  const attempt = (task: string): string => join(home.tasks, task, 'attempts', '1')
  for (const task of tasks) fill(attempt(task))
  const gc = (removeAfter: number) =>
    retain({
      home,
      ledger: { runsOf: () => [settled] },
      retention: { compressAfter: 1, removeAfter },
      now: 1000,
      dryRun: false,
    })
  return { home, attempt, gc }
}

function fill(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of ['stdout.jsonl', 'stderr.log']) writeFileSync(join(folder, name), TEXT)
}

test.each([
  ['its attempt', (attempt: string) => attempt],
  ['its attempts', (attempt: string) => dirname(attempt)],
  ['its folder', (attempt: string) => dirname(dirname(attempt))],
])('files of the user stay, if an agent put a link to their folder in place of %s', async (_, placeOf) => {
  const { home, attempt, gc } = homeWith('t-1', 't-2')
  const place = placeOf(attempt('t-1'))
  renameSync(place, join(home.path, 'elsewhere'))
  symlinkSync(join(home.path, 'elsewhere'), place)
  // Neither compressed nor removed.
  for (const removeAfter of [2000, 2]) await gc(removeAfter)
  expect(readFileSync(join(attempt('t-1'), 'stdout.jsonl'), 'utf8')).toBe(TEXT)
  expect(readFileSync(join(attempt('t-1'), 'stderr.log'), 'utf8')).toBe(TEXT)
  expect(existsSync(join(attempt('t-2'), 'stdout.jsonl'))).toBe(false)
})

test.skipIf(isRoot)('a task whose folder an agent has locked keeps no other from being cleared', async () => {
  const { attempt, gc } = homeWith('t-1', 't-2')
  const locked = dirname(attempt('t-1'))
  chmodSync(locked, 0)
  onTestFinished(() => chmodSync(locked, 0o700))
  expect(await gc(2)).toMatchObject({ removed: 2, skipped: 1 })
  expect(existsSync(join(attempt('t-2'), 'stdout.jsonl'))).toBe(false)
})

test('compressed output is read from a regular file of its own only', () => {
  const { home, attempt } = homeWith('t-1', 't-2')
  const path = join(attempt('t-1'), 'output')
  writeFileSync(join(home.path, 'secret.gz'), gzipSync('secret'))
  symlinkSync(join(home.path, 'secret.gz'), `${path}.gz`)
  expect(() => openReading(path)).toThrow('output.gz was left alone: it is a link')
  const other = join(attempt('t-2'), 'output')
  writeFileSync(`${other}.gz`, 'no such thing')
  expect(() => openReading(other)).toThrow('output.gz cannot be unpacked (Z_DATA_ERROR)')
})
