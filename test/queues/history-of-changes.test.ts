import { describe, expect, test } from 'vitest'
import { rfc3339 } from '../../src/domain/task/time.ts'
import type { TaskStore } from '../../src/ports/task-store.ts'
import { openPostgresStore } from '../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../src/queues/postgres/queue.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../src/queues/sqlite/queue.ts'
import { describeWithPostgres } from '../support/postgres.ts'

const BEGIN = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
const at = (hours: number) => rfc3339(BEGIN + hours * HOUR)

type Open = (clock: { now(): number }) => Promise<TaskStore>

function keepsWhatWasChanged(open: Open): void {
  test('a change without effect keeps updated_at, and any other change moves it', async () => {
    const clock = { millis: BEGIN }
    await using queue = await open({ now: () => clock.millis })
    const parent = (await queue.create({ title: 'parent' }, 'maker')).id
    const { id } = await queue.create({ title: 'work', labels: ['x'] }, 'maker')
    const changes = [
      { title: 'work', status: 'open', assignee: '', addLabels: ['x'], removeLabels: ['y'], parent: '' },
      { status: 'open' },
      { addLabels: ['y'] },
      { setLabels: ['y', 'x'] },
      { removeLabels: ['x'] },
      { parent },
      { parent },
      { parent: '' },
      { priority: 1 },
      { priority: 1 },
    ]
    const times: unknown[] = []
    for (const change of changes) {
      clock.millis += HOUR
      times.push((await queue.update(id, change, 'anna'))?.updated_at)
    }
    expect(times).toEqual([0, 0, 3, 3, 5, 6, 6, 8, 9, 9].map(at))
    clock.millis += HOUR
    expect(await queue.amend(id, { change: { priority: 1 } }, 'anna')).toMatchObject({ task: { updated_at: at(9) } })
  })

  test('closing and reopening record the reasons and times that they replaced', async () => {
    const clock = { millis: BEGIN }
    await using queue = await open({ now: () => clock.millis })
    const { id } = await queue.create({ title: 'work', defer_until: at(-1) }, 'maker')
    clock.millis += HOUR
    await queue.close(id, { reason: 'done' }, 'anna')
    clock.millis += HOUR
    await queue.reopen(id, { reason: 'not quite' }, 'berta')
    const entries = (await queue.history(id)).slice(-2).map(({ seq: _own, ...entry }) => entry)
    expect(entries).toEqual([
      {
        task: id,
        at: at(1),
        actor: 'anna',
        kind: 'closed',
        changes: { status: ['open', 'closed'], close_reason: ['', 'done'] },
      },
      {
        task: id,
        at: at(2),
        actor: 'berta',
        kind: 'reopened',
        changes: {
          status: ['closed', 'open'],
          closed_at: [at(1), null],
          close_reason: ['done', ''],
          defer_until: [at(-1), null],
          reason: [null, 'not quite'],
        },
      },
    ])
  })
}

describe('the SQLite store', () => {
  keepsWhatWasChanged(async (clock) => new SqliteQueue(openStore({ path: ':memory:', create: true }), { clock }))
})

describeWithPostgres('the Postgres store', (server) => {
  keepsWhatWasChanged(
    async (clock) => new PostgresQueue(await openPostgresStore({ url: server.newUrl(), create: true }), { clock }),
  )
})
