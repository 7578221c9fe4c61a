import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { FLEET, type TestHome, testHome } from '../support/cli.ts'

/** A command that is killed leaves the store as it was before it or after it: nothing half-made, nothing damaged. */
describe.each(['SIGKILL', 'SIGINT'] as const)('%s in the middle of a command', (signal) => {
  test('create with labels, a parent and dependencies', { timeout: 120_000 }, async () => {
    const home = testHome()
    home.bd(['create', 'an epic', '-t', 'epic', '--id', 'fleet-epic'])
    home.bd(['create', 'a blocker', '--id', 'fleet-blocker'])
    await interrupt(home, signal, ['create', 'half?', '--parent', 'fleet-epic', '-l', 'a,b', '--deps', 'fleet-blocker'])
    expect(whole(home)).toEqual(WHOLE)
  })

  test('close, which frees dependents in the same transaction', { timeout: 120_000 }, async () => {
    const home = testHome()
    home.bd(['create', 'a blocker', '--id', 'fleet-blocker'])
    for (let i = 0; i < 5; i++) home.bd(['create', `waits ${i}`, '--deps', 'fleet-blocker'])
    for (let i = 0; i < 4; i++) {
      await interrupt(home, signal, ['close', 'fleet-blocker'], 5)
      await interrupt(home, signal, ['reopen', 'fleet-blocker'], 5)
    }
    expect(whole(home)).toEqual(WHOLE)
  })

  test('import of 2,000 tasks: all of them or none', { timeout: 120_000 }, async () => {
    const home = testHome()
    const at = '2026-01-01T00:00:00Z'
    const lines = Array.from({ length: 2000 }, (_, i) =>
      JSON.stringify({
        _type: 'issue',
        id: `fleet-i${i}`,
        title: `task ${i}`,
        status: 'open',
        priority: 2,
        created_at: at,
        updated_at: at,
      }),
    )
    const file = join(home.project, 'tasks.jsonl')
    writeFileSync(file, `${lines.join('\n')}\n`)
    for (let i = 0; i < 12; i++) {
      await interrupt(home, signal, ['import', file], 1)
      expect([0, 2000]).toContain(Number(JSON.parse(home.bd(['count', '--json']).stdout).count))
    }
    expect(whole(home)).toEqual(WHOLE)
  })
})

/** Ends the command after a growing part of the time it takes, so the signal falls into every phase of it. */
async function interrupt(home: TestHome, signal: NodeJS.Signals, argv: readonly string[], times = 20): Promise<void> {
  for (let i = 0; i < times; i++) {
    const child = spawn(process.execPath, [FLEET, 'bd', ...argv], {
      cwd: home.project,
      env: { ...process.env, FLEET_HOME: home.path },
      stdio: 'ignore',
    })
    const timer = setTimeout(() => child.kill(signal), 30 + ((i * 7) % 60))
    await once(child, 'exit')
    clearTimeout(timer)
  }
}

const WHOLE = { integrity: 'ok', withoutHistory: [], looseEdges: [], looseLabels: [], wrongFlags: [], next: 0 }

function whole(home: TestHome): typeof WHOLE {
  const db = openStore({ path: join(home.path, 'fleet.db') })
  const ids = (sql: string) =>
    db
      .once<{ id: string }>(sql)
      .all()
      .map((row) => row.id) as never[]
  try {
    return {
      integrity: db.once<{ integrity_check: string }>('pragma integrity_check').get()?.integrity_check ?? '',
      withoutHistory: ids(
        `select id from task where id not in (select task from history where kind in ('created', 'imported'))`,
      ),
      looseEdges: ids(
        `select issue_id as id from dependency where issue_id not in (select id from task) or depends_on_id not in (select id from task)`,
      ),
      looseLabels: ids('select task as id from label where task not in (select id from task)'),
      wrongFlags: ids(`select task.id from task where task.status not in ('closed', 'pinned') and is_blocked <> exists (
        select 1 from dependency d join task b on b.id = d.depends_on_id
        where d.issue_id = task.id and d.type = 'blocks' and b.status not in ('closed', 'pinned'))`),
      next: home.bd(['create', 'the next command works']).code ?? -1,
    }
  } finally {
    db[Symbol.dispose]()
  }
}
