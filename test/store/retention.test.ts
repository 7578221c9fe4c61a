import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type { Landing } from '../../src/domain/landing/landing.ts'
import type { Run } from '../../src/domain/run/run.ts'
import { openReading } from '../../src/platform/files/follow.ts'
import { Home } from '../../src/platform/files/home.ts'
import { homeAttempts } from '../../src/store/attempts.ts'
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
  const landings: Landing[] = []
  const gc = (removeAfter: number) =>
    retain({
      home,
      ledger: {
        runsOf: () => [settled],
        recordsOf: () => ({ launch: 'kept', receipt: undefined, letters: [] }),
        landings: { open: () => landings },
      },
      retention: { compressAfter: 1, removeAfter },
      now: 1000,
      dryRun: false,
    })
  return { home, attempt, gc, landings }
}

function fill(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of ['stdout.jsonl', 'stderr.log']) writeFileSync(join(folder, name), TEXT)
}

const OUTPUT = ['checks/1-verify/output.log', 'setup/stdout.jsonl', 'landing/1a2b3c4/1-verify/output.log']
const KEPT = ['receipt.json', 'inbox/1.json', 'checks/1-verify/exit.json']

/** The files of a task, without those of its attempt's top that `fill` makes. */
function filesOf(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
  return all
    .flatMap((each) => (each.isDirectory() ? [] : [join(each.parentPath, each.name).slice(folder.length + 1)]))
    .sort()
}

function everyKind(attempt: string): string {
  const task = dirname(dirname(attempt))
  for (const name of [...OUTPUT, ...KEPT]) {
    mkdirSync(dirname(join(attempt, name)), { recursive: true })
    writeFileSync(join(attempt, name), name.endsWith('.json') ? '{}' : TEXT)
  }
  for (const name of ['launch.json', 'prompt.md', 'exit.json']) writeFileSync(join(attempt, name), '{}')
  for (const name of ['events.jsonl', 'task.json', 'log.jsonl']) writeFileSync(join(task, name), TEXT)
  symlinkSync('attempts/1/stderr.log', join(task, 'log.stderr'))
  return task
}

test('all that programs printed is compressed, then removed with the records that the ledger has; receipts and letters stay', async () => {
  const { attempt, gc, landings } = homeWith('t-1')
  const task = everyKind(attempt('t-1'))
  landings.push({ task: 't-1' } as Landing)
  expect(await gc(2000)).toMatchObject({ compressed: 3 })
  // Its checks may be running.
  expect(filesOf(task)).toEqual(expect.arrayContaining(OUTPUT.map((name) => `attempts/1/${name}`)))
  landings.length = 0
  expect(await gc(2000)).toMatchObject({ compressed: 3, removed: 0 })
  const top = (...names: string[]) => names.map((name) => `attempts/1/${name}`)
  expect(filesOf(task)).toEqual(
    [
      ...top(...OUTPUT.map((name) => `${name}.gz`), ...KEPT, 'launch.json', 'prompt.md', 'exit.json'),
      ...top('stdout.jsonl.gz', 'stderr.log.gz'),
      ...['events.jsonl.gz', 'task.json', 'log.jsonl'],
    ].sort(),
  )
  expect(await gc(2)).toMatchObject({ removed: 10, skipped: 0 })
  expect(filesOf(task)).toEqual([...top('receipt.json', 'inbox/1.json'), 'task.json', 'log.jsonl'].sort())
})

test('the next attempt of a task has the events of the earlier ones again', async () => {
  const { home, attempt, gc } = homeWith('t-1')
  const events = join(everyKind(attempt('t-1')), 'events.jsonl')
  await gc(2000)
  expect(existsSync(events)).toBe(false)
  homeAttempts(home).make('t-1', 2)
  expect([readFileSync(events, 'utf8'), existsSync(`${events}.gz`)]).toEqual([TEXT, false])
})

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
