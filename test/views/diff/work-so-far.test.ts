import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NO_FIGURES } from '../../../src/domain/run/run.ts'
import { workSoFar } from '../../../src/views/diff/work-so-far.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { newRun, testLedger } from '../../support/test-ledger.ts'

test('changes of a run that is under way are told from those of others by the traces in the ledger', () => {
  const { ledger } = testLedger()
  const root = temporaryFolder()
  const startedAt = Date.now() - 60_000
  const own = ledger.begin(newRun('own', { cwd: root, startedAt }))
  const other = ledger.begin(newRun('other', { task: 'fleet-b', cwd: root, startedAt }))
  for (const name of ['mine.txt', 'named.txt', 'theirs.txt']) writeFileSync(join(root, name), name)
  const now = Date.now()
  const work = (...open: number[]) => ({ root, open, at: now })
  ledger.progress(own.id, NO_FIGURES, { work: work(now - 5000, now + 5000), named: ['named.txt'] })
  ledger.progress(other.id, NO_FIGURES, { work: work(), named: [join(root, 'theirs.txt')] })
  const all = ['mine.txt', 'named.txt', 'theirs.txt']
  const soFar = workSoFar(ledger, { task: 'fleet-a', runs: ledger.runsOf('fleet-a') })
  expect(soFar?.({ root, isApart: false }, all)).toEqual(new Set(['mine.txt', 'named.txt']))
  expect(soFar?.({ root, isApart: true }, all)).toEqual(new Set(all))
  ledger.progress(other.id, NO_FIGURES, { work: work(now - 5000, now + 5000), named: [] })
  const both = workSoFar(ledger, { task: 'fleet-a', runs: ledger.runsOf('fleet-a') })
  expect(both?.({ root, isApart: false }, all)).toEqual(new Set(['named.txt']))
  expect(workSoFar(ledger, { task: 'fleet-c', runs: [] })).toBe(undefined)
})
