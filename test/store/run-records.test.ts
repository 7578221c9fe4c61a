import { expect, test } from 'vitest'
import type { Receipt } from '../../src/domain/run/receipt.ts'
import { freshState, NO_FIGURES } from '../../src/domain/run/run.ts'
import type { NewRun, RunEnd } from '../../src/ports/ledger.ts'
import { SqliteLedger } from '../../src/store/ledger/ledger.ts'
import { NOW, testLedger } from '../support/test-ledger.ts'

const newRun = (id: string): NewRun => ({
  id,
  task: 'fleet-a',
  claimedBy: 'fleet@test',
  token: 1,
  coder: 'claude',
  model: null,
  lane: 'claude',
  cwd: '/work',
  title: 'Work',
  startedAt: NOW,
  resumes: null,
})
const proc = { pid: 4711, startTime: '12', bootId: 'boot' }
const end: RunEnd = {
  at: NOW,
  outcome: { code: 'done', text: 'did it' },
  figures: NO_FIGURES,
  state: freshState('fleet-a'),
  next: { to: 'closed', reason: 'did it' },
}

test('a run has its launch record, its letters and its receipt in the ledger', () => {
  const { ledger } = testLedger()
  const none = { launch: undefined, receipt: undefined, letters: [] }
  const [receipt, amended] = [{ run: 'r1' }, { run: 'r1', warnings: ['late'] }] as unknown as [Receipt, Receipt]
  const letters = [{ name: 'a', at: 1, sha256: 'abc', item: { kind: 'done', summary: 'did it' } }] as const
  for (const id of ['r1', 'r2']) ledger.begin(newRun(id))
  expect(ledger.recordsOf('r1')).toEqual(none)
  ledger.launched('r1', proc, { namespace: false, launch: { text: '{"v":1}', sha256: 'def' } })
  ledger.launched('r2', proc, { namespace: false, launch: { text: ' '.repeat(100_000), sha256: 'ghi' } })
  ledger.keepLetters('r1', letters)
  ledger.amendReceipt('r1', amended)
  expect(ledger.recordsOf('r1')).toEqual({ launch: '{"v":1}', receipt: undefined, letters })
  ledger.ended('r1', { ...end, receipt })
  ledger.ended('r1', { ...end, receipt: amended })
  expect(ledger.recordsOf('r1')).toEqual({ launch: '{"v":1}', receipt, letters })
  ledger.amendReceipt('r1', amended)
  expect(ledger.recordsOf('r1').receipt).toEqual(amended)
  expect([ledger.recordsOf('r2'), ledger.seen('r2').launch]).toEqual([none, 'ghi'])
})

test('a store has one secret, and every opening of it finds the same', () => {
  const { ledger, open } = testLedger()
  const secret = ledger.secret()
  expect([secret, new SqliteLedger(open()).secret()]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), secret])
  expect(testLedger().ledger.secret()).not.toBe(secret)
})
