import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Database } from '../../src/platform/sqlite/database.ts'
import type { NewRun } from '../../src/ports/ledger.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SqliteLedger } from '../../src/store/ledger/ledger.ts'
import { temporaryFolder } from './cli.ts'

export const NOW = Date.UTC(2026, 0, 1)

/** A ledger on a new store, and a function that opens the same store again. */
export function testLedger() {
  const path = join(temporaryFolder(), 'fleet.db')
  const open = (options: { create?: boolean; readOnly?: boolean } = {}): Database => {
    const db = openStore({ path, ...options })
    onTestFinished(() => db[Symbol.dispose]())
    return db
  }
  const db = open({ create: true })
  const woken = { times: 0 }
  const ledger = new SqliteLedger(db, { committed: () => woken.times++ })
  return { ledger, db, woken, open }
}

export const newRun = (id: string, more: Partial<NewRun> = {}): NewRun => ({
  id,
  task: 'fleet-a',
  claimedBy: 'supervisor',
  token: 7,
  coder: 'claude',
  model: 'sonnet',
  lane: 'claude',
  cwd: '/projects/a',
  title: 'do it',
  startedAt: NOW,
  resumes: null,
  ...more,
})
