import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appendLines } from '../../../src/platform/files/attempt-folder.ts'
import { openJournal } from '../../../src/platform/files/journal.ts'
import { fill, smallDisk } from '../../support/small-disk.ts'

/** Longer than a block, so that an almost full disk accepts only its beginning. */
const LONG = 'x'.repeat(10_000)

test('the supervisor log keeps complete lines while the disk is full, and continues afterwards', ({ skip }) => {
  const disk = smallDisk(1)
  if (disk === undefined) return skip()
  const journal = openJournal(join(disk, 'logging'))
  journal('draining')
  const ballast = fill(disk, 4096)
  journal('config-invalid', { why: LONG })
  journal('config-invalid', { why: LONG })
  rmSync(ballast)
  journal('config-reloaded')
  const file = join(disk, 'logging', `fleet-${new Date().toISOString().slice(0, 10)}.jsonl`)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['draining', 'config-reloaded'])
})

test('lines that did not fit on a full disk are appended completely, and once, by a retry', ({ skip }) => {
  const disk = smallDisk(1)
  if (disk === undefined) return skip()
  const file = join(disk, 'events.jsonl')
  appendLines(file, ['1'])
  const ballast = fill(disk, 4096)
  expect(() => appendLines(file, ['2', LONG, '3'])).toThrow('ENOSPC')
  rmSync(ballast)
  appendLines(file, ['2', LONG, '3'])
  expect(readFileSync(file, 'utf8')).toBe(`1\n2\n${LONG}\n3\n`)
})
