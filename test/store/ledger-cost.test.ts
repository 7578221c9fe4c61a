import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freshState, NO_FIGURES } from '../../src/domain/run/run.ts'
import { spentBy } from '../../src/domain/run/spent.ts'
import type { Database } from '../../src/platform/sqlite/database.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SqliteLedger } from '../../src/store/ledger/ledger.ts'
import { temporaryFolder } from '../support/cli.ts'

const ENDED_RUNS = 100_000

/** A store after a day of 200 agents. */
function busyStore(): Database {
  const db = openStore({ path: join(temporaryFolder(), 'fleet.db'), create: true })
  onTestFinished(() => db[Symbol.dispose]())
  const ids = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ENDED_RUNS}) select`
  const figures = JSON.stringify(NO_FIGURES)
  const outcome = JSON.stringify({ code: 'done', text: 'done' })
  db.write(() => {
    db.once(
      `insert into run (id, task, attempt, claimed_by, token, coder, lane, cwd, title, phase, started_at, ended_at, outcome, figures)
       ${ids} 'r' || i, 't' || (i / 3), i % 3, 's', 1, 'claude', 'claude', '/p', 'work', 'settled', i, i + 1, ?, ? from n`,
    ).run(outcome, figures)
    db.exec(`
      insert into task_state (task, attempts, failures, stalls, hand_overs) ${ids} 't' || i, 1, 0, 0, 0 from n;
      insert into question (task, run, asked_at, text, options, answered_at) ${ids} 't' || i, 'r' || i, i, 'q', '[]', i from n;
      insert into request (kind, task, asked_by, asked_at, done_at) ${ids} 'kill', 't' || i, 'a', i, i from n;`)
  })
  return db
}

/** The same database, recording its statements. */
function listening(db: Database): { db: Database; statements: Set<string> } {
  const statements = new Set<string>()
  const sql = (text: string) => {
    statements.add(text)
    return db.sql(text)
  }
  const listener = new Proxy(db, {
    get(target, name) {
      if (name === 'sql') return sql
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { db: listener, statements }
}

test('no ledger query scans all runs', () => {
  const { db, statements } = listening(busyStore())
  const ledger = new SqliteLedger(db)
  const begin = (id: string) =>
    ledger.begin({
      id,
      task: id,
      claimedBy: 's',
      token: 1,
      coder: 'claude',
      model: null,
      lane: 'claude',
      cwd: '/p',
      title: 'work',
      startedAt: 1,
      resumes: null,
    })
  const state = { ...freshState('now'), waiting: 'soon' }
  begin('now')
  ledger.launched('now', { pid: 1, startTime: '1', bootId: '1' }, { namespace: false })
  ledger.stopping('now')
  ledger.progress('now', NO_FIGURES)
  ledger.ask({ task: 'now', run: 'now', askedAt: 1, text: '?', options: [], suggestion: null })
  const { id } = ledger.request('drain', '', 'anna', 1)
  expect({
    open: ledger.openRuns().length,
    ofTask: ledger.openRunOf('now')?.id,
    runs: ledger.runsOf('t7').length,
    ended: ledger.recentlyEnded(20).length,
    spent: spentBy(ledger.runsOf('t7')).durationMs,
    questions: ledger.openQuestions().length,
    questionsOf: ledger.questionsOf('t7').length,
    requests: ledger.pendingRequests().length,
  }).toEqual({ open: 1, ofTask: 'now', runs: 3, ended: 20, spent: 3, questions: 1, questionsOf: 1, requests: 1 })
  ledger.answer('now', { text: '!', by: 'anna', at: 1 })
  ledger.endRequest(id, { kind: 'done', at: 1, text: 'ok' })
  ledger.requestById(id)
  ledger.ended('now', { at: 1, outcome: { code: 'done', text: '' }, figures: NO_FIGURES, state, next: undefined })
  ledger.settled('now')
  ledger.stateOf('now')
  expect(ledger.waiting(5)).toHaveLength(1)

  const plans = [...statements].flatMap((text) =>
    db
      .once<{ detail: string }>(`explain query plan ${text}`)
      .all(...Array.from({ length: parameters(text) }, () => 1))
      .map(({ detail }) => detail),
  )
  expect(statements.size).toBeGreaterThan(15)
  expect(plans.filter(readsEverything)).toEqual([])
})

/** `?1` may occur twice for one parameter. */
function parameters(text: string): number {
  const numbered = [...text.matchAll(/\?(\d+)/g)].map((match) => Number(match[1]))
  return numbered.length > 0 ? Math.max(...numbered) : (text.match(/\?/g) ?? []).length
}

/** Scanning a partial index of open or waiting rows costs only those rows; scanning `run_ended` costs its limit. */
function readsEverything(plan: string): boolean {
  if (/USE TEMP B-TREE/.test(plan)) return true
  return (
    /^SCAN (run|task_state|question|request)\b/.test(plan) &&
    !/USING INDEX (run_open|run_ended|task_state_waiting|question_open|request_pending)/.test(plan)
  )
}
