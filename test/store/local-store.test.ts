import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openBeadsQueue, openLedger, openLocalQueue, openLocalStore } from '../../src/app.ts'
import { Home, privateDirectory } from '../../src/platform/files/home.ts'
import { Database } from '../../src/platform/sqlite/database.ts'
import type { NewRun } from '../../src/ports/ledger.ts'
import { examineStore } from '../../src/queues/sqlite/examine.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { MIGRATIONS, SCHEMA_VERSION } from '../../src/queues/sqlite/schema.ts'
import { backupsIn } from '../../src/store/backup.ts'
import { FLEET, runBeside, temporaryFolder, testHome } from '../support/cli.ts'

const runOf = (task: string): NewRun => ({
  id: `run-of-${task}`,
  task,
  claimedBy: 'supervisor',
  token: 1,
  coder: 'shell',
  model: null,
  lane: 'shell',
  cwd: '/',
  title: 'work',
  startedAt: 1,
  resumes: null,
})

test('the queue of a home that has just been moved out of beads is not opened as a mirror of bd', async () => {
  const { path, bd } = testHome()
  bd(['create', 'work'])
  await expect(openBeadsQueue(new Home(path))).rejects.toMatchObject({ code: 'conflict' })
})

describe('the queue and the ledger of a home on one connection', () => {
  test('share changes with other processes in both directions', async () => {
    const { path, bd } = testHome()
    const home = new Home(path)
    await using store = openLocalStore(home, { busyTimeoutMs: 100 })
    const before = store.ledger.version()
    const id = bd(['create', 'work', '--json']).stdout.match(/"id": ?"([^"]+)"/)?.[1] ?? ''
    expect(store.ledger.version()).not.toBe(before)
    expect((await store.queue.claim({ limit: 5, by: 'supervisor', leaseMs: 60_000 })).map((claim) => claim.id)).toEqual(
      [id],
    )
    store.ledger.begin(runOf(id))
    using other = openLedger(home, { readOnly: true })
    expect(other.openRuns()).toEqual(store.ledger.openRuns())
    expect(JSON.parse(bd(['show', id, '--json']).stdout)).toMatchObject([{ id, status: 'in_progress' }])
  })

  test('keep the runs of a deleted task', async () => {
    const { path, bd } = testHome()
    await using store = openLocalStore(new Home(path))
    const { id } = await store.queue.create({ title: 'work' }, 'maker')
    const run = store.ledger.begin(runOf(id))
    expect(bd(['delete', id, '--force']).code).toBe(0)
    expect([await store.queue.get(id), store.ledger.runsOf(id)]).toEqual([undefined, [run]])
  })

  test('fail soon on a locked store without writing, and work again afterwards', async () => {
    const { path } = testHome()
    const home = new Home(path)
    await using store = openLocalStore(home, { busyTimeoutMs: 100 })
    const { id } = await store.queue.create({ title: 'work' }, 'maker')
    using other = new Database(home.store)
    other.write(() => {
      expect(() => store.ledger.begin(runOf(id))).toThrow(expect.objectContaining({ trouble: 'locked' }))
      expect(store.ledger.openRuns()).toEqual([])
    })
    expect(store.ledger.begin(runOf(id)).attempt).toBe(1)
  })

  test('a request wakes a watcher of the home', () => {
    const { path } = testHome()
    const home = new Home(path)
    using ledger = openLedger(home)
    ledger.openRuns()
    const before = statSync(home.wake, { throwIfNoEntry: false })?.mtimeMs
    ledger.request('drain', '', 'anna', 1)
    expect(statSync(home.wake).mtimeMs).not.toBe(before)
  })

  test('are backed up together, on request', async () => {
    const { path } = testHome()
    const home = new Home(path)
    await using store = openLocalStore(home)
    const { id } = await store.queue.create({ title: 'work' }, 'maker')
    store.ledger.begin(runOf(id))
    store.backUpIfDue()
    store.backUpIfDue()
    const [copy, ...more] = backupsIn(home.backups)
    expect([examineStore(copy?.path ?? ''), more]).toMatchObject([{ kind: 'good', tasks: 1 }, []])
    using backup = new Database(copy?.path ?? '', { readOnly: true })
    expect(backup.once('select id from run').all()).toMatchObject([{ id: `run-of-${id}` }])
  })
})

describe('a store of version 1', () => {
  const [first = ''] = MIGRATIONS

  test('was created by a migration step that must not change', () => {
    expect(createHash('sha256').update(first).digest('hex')).toBe(
      '690e243e2c8ecf76ae86d95ba37ae00eef95100325b4adb9c82402d7747879ec',
    )
  })

  /** Tasks as the first release stored them: open, claimed by a supervisor, taken by a person, held up, and closed. */
  function oldHome(): Home {
    const home = new Home(join(temporaryFolder(), 'home'))
    privateDirectory(home.path)
    using db = openStore({ path: home.store, create: true, migrations: [first] })
    const at = '2026-01-01T00:00:00Z'
    db.exec(`
      insert into task (id, title, status, assignee, is_blocked, closed_at, claim_token, lease_until, created_at, updated_at) values
        ('fleet-a', 'open', 'open', '', 0, null, 0, null, '${at}', '${at}'),
        ('fleet-b', 'running', 'in_progress', 'supervisor', 0, null, 3, 99, '${at}', '${at}'),
        ('fleet-c', 'taken', 'in_progress', 'anna', 0, null, 1, null, '${at}', '${at}'),
        ('fleet-d', 'held up', 'open', '', 1, null, 0, null, '${at}', '${at}'),
        ('fleet-e', 'closed', 'closed', '', 0, '${at}', 1, null, '${at}', '${at}');
      insert into dependency (issue_id, depends_on_id, type, created_at) values ('fleet-d', 'fleet-a', 'blocks', '${at}');
      insert into label (task, label) values ('fleet-a', 'kept');
      insert into history (task, at, actor, kind, changes) values ('fleet-a', '${at}', 'maker', 'created', '{}');`)
    return home
  }

  function contents(home: Home): unknown[] {
    using db = new Database(home.store, { readOnly: true })
    const columns = (table: string) =>
      db
        .once<{ name: string }>(`select name from pragma_table_info('${table}') where name <> 'not_before'`)
        .all()
        .map(({ name }) => name)
    return ['task', 'dependency', 'label', 'comment', 'history', 'meta'].map((table) =>
      db.once(`select ${columns(table).join(', ')} from ${table}`).all(),
    )
  }

  for (const readOnly of [false, true]) {
    test(`keeps everything when it is opened ${readOnly ? 'to read' : 'to write'}`, async () => {
      const home = oldHome()
      const before = contents(home)
      using ledger = openLedger(home, { readOnly })
      expect(ledger.openRuns()).toEqual([])
      expect([contents(home), examineStore(home.store)]).toMatchObject([
        before,
        { kind: 'good', version: SCHEMA_VERSION, tasks: 5 },
      ])
      expect(backupsIn(home.backups).map(({ path }) => examineStore(path))).toMatchObject([
        { kind: 'good', version: 1 },
      ])
    })
  }

  test('keeps its state: the same tasks are claimable, claimed and held up', async () => {
    const home = oldHome()
    await using queue = openLocalQueue(home)
    expect((await queue.claim({ limit: 9, by: 'next', leaseMs: 60_000 })).map((claim) => claim.id)).toEqual(['fleet-a'])
    expect(await queue.claimsOf('supervisor')).toEqual([{ id: 'fleet-b', by: 'supervisor', token: 3 }])
    expect(await queue.reclaimExpired()).toEqual(['fleet-b'])
    await queue.close('fleet-a', { force: true }, 'anna')
    expect((await queue.ready({ limit: 9 })).map((task) => task.id)).toEqual(['fleet-b', 'fleet-d'])
  })

  test('is migrated once by four processes that open it at the same moment', async () => {
    const home = oldHome()
    const list = () => runBeside(process.execPath, [FLEET, 'bd', 'list', '--json'], { env: { FLEET_HOME: home.path } })
    const ran = await Promise.all([list(), list(), list(), list()])
    expect(ran.map(({ code, stderr }) => ({ code, stderr }))).toEqual(ran.map(() => ({ code: 0, stderr: '' })))
    expect(new Set(ran.map(({ stdout }) => stdout)).size).toBe(1)
    expect(examineStore(home.store)).toMatchObject({ kind: 'good', version: SCHEMA_VERSION, tasks: 5 })
  })
})

/** How many steps of the schema that version had taken. */
const BY_TEXT = 4

test('a store of a version that told by text alone what tasks wait for and how requests ended keeps both', () => {
  const home = new Home(join(temporaryFolder(), 'home'))
  privateDirectory(home.path)
  {
    using db = openStore({ path: home.store, create: true, migrations: MIGRATIONS.slice(0, BY_TEXT) })
    db.exec(`
      insert into task_state (task, attempts, failures, stalls, hand_overs, waiting, waiting_until, last_outcome) values
        ('fleet-a', 1, 0, 0, 0, 'no such folder', null, '{"code":"missing-cwd","text":"no such folder"}'),
        ('fleet-b', 1, 1, 0, 0, 'retry 2 of 3: lost', 99, '{"code":"lost","text":"lost"}'),
        ('fleet-c', 1, 1, 0, 0, 'paused by anna', null, null),
        ('fleet-d', 1, 1, 0, 0, null, null, '{"code":"lost","text":"lost"}');
      insert into request (kind, task, asked_by, asked_at, done_at, answer) values
        ('drain', '', 'anna', 1, 2, 'draining'),
        ('drain', '', 'anna', 1, 2, 'withdrawn: the supervisor went away'),
        ('drain', '', 'anna', 1, null, null)`)
  }
  using ledger = openLedger(home)
  const kinds = ['fleet-a', 'fleet-b', 'fleet-c', 'fleet-d'].map((task) => ledger.stateOf(task).waitingKind)
  expect(kinds).toEqual(['refused', 'retry', 'paused', null])
  expect([1, 2, 3].map((id) => ledger.requestById(id)?.ending)).toEqual(['done', 'withdrawn', null])
})

test('what an older fleet writes to a migrated store reads as before: its supervisor may run on', () => {
  const home = new Home(join(temporaryFolder(), 'home'))
  privateDirectory(home.path)
  {
    using db = openStore({ path: home.store, create: true })
    db.exec(`
      insert into task_state (task, attempts, failures, stalls, hand_overs, waiting, waiting_until, last_outcome) values
        ('fleet-a', 1, 0, 0, 0, 'no such folder', null, '{"code":"missing-cwd","text":"no such folder"}'),
        ('fleet-b', 1, 1, 0, 0, 'retry 2 of 3: lost', 99, '{"code":"lost","text":"lost"}'),
        ('fleet-c', 1, 1, 0, 0, 'paused by anna', null, null);
      insert into task_state (task, attempts, failures, stalls, hand_overs, waiting, waiting_kind) values
        ('fleet-d', 2, 1, 0, 0, null, 'retry')`)
  }
  using ledger = openLedger(home)
  const kinds = ['fleet-a', 'fleet-b', 'fleet-c', 'fleet-d'].map((task) => ledger.stateOf(task).waitingKind)
  expect(kinds).toEqual(['refused', 'retry', 'paused', null])
})
