import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLocalQueue, openLocalQueue } from '../../src/app.ts'
import { Home, privateDirectory } from '../../src/platform/files/home.ts'
import type { Database } from '../../src/platform/sqlite/database.ts'
import { examineStore } from '../../src/queues/sqlite/examine.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { MIGRATIONS } from '../../src/queues/sqlite/schema.ts'
import { backUp, backUpHourly, backupsIn, superfluous } from '../../src/store/backup.ts'
import { temporaryFolder } from '../support/cli.ts'
import { addTasks, contents } from '../support/store.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2026, 10, 30, 14, 25, 1, 123)

async function homeWith(titles: readonly string[]): Promise<{ home: Home; db: Database }> {
  const home = new Home(join(temporaryFolder(), 'home'))
  privateDirectory(home.path)
  createLocalQueue(home)
  const db = openStore({ path: home.store })
  for (const [i, title] of titles.entries()) {
    db.sql('insert into task (id, title, created_at, updated_at) values (?, ?, ?, ?)').run(
      `fleet-00${i}`,
      title,
      '2026-11-30T00:00:00Z',
      '2026-11-30T00:00:00Z',
    )
  }
  return { home, db }
}

describe('the hourly backup', () => {
  test('is a complete, private store, named by its time', async () => {
    const { home, db } = await homeWith(['a', 'b'])
    using _ = db
    backUpHourly(db, { folder: home.backups, now: NOW })
    const [backup] = backupsIn(home.backups)
    expect(backup).toEqual({ path: join(home.backups, 'fleet-20261130T142501.123Z.db'), at: NOW })
    expect(examineStore(backup?.path ?? '')).toMatchObject({ kind: 'good', tasks: 2 })
    expect(statSync(backup?.path ?? '').mode & 0o777).toBe(0o600)
    expect(statSync(home.backups).mode & 0o777).toBe(0o700)
  })

  test('is made once an hour, and never of an empty store', async () => {
    const { home, db } = await homeWith([])
    using _ = db
    backUpHourly(db, { folder: home.backups, now: NOW })
    expect(backupsIn(home.backups)).toEqual([])
    db.sql('insert into task (id, title, created_at, updated_at) values (?, ?, ?, ?)').run('fleet-abc', 'a', 'x', 'x')
    for (const now of [NOW, NOW + 1, NOW + HOUR - 1, NOW + HOUR, NOW + HOUR + 1])
      backUpHourly(db, { folder: home.backups, now })
    expect(backupsIn(home.backups).map((each) => each.at)).toEqual([NOW + HOUR, NOW])
  })

  test('pruning keeps the newest 24 and the last of each of the newest seven days', () => {
    const midnight = Date.UTC(2026, 10, 30)
    const all = Array.from({ length: 20 * 24 }, (_, i) => ({ path: `${i}`, at: midnight + (23 - i) * HOUR }))
    const gone = new Set(superfluous(all))
    const kept = all.filter((backup) => !gone.has(backup)).map((backup) => (backup.at - midnight) / HOUR)
    const today = Array.from({ length: 24 }, (_, i) => 23 - i)
    expect(kept).toEqual([...today, -1, -25, -49, -73, -97, -121])
  })

  test('pruning deletes only backups', async () => {
    const { home, db } = await homeWith(['a'])
    using _ = db
    mkdirSync(home.backups)
    writeFileSync(join(home.backups, 'mine.db'), 'x')
    for (let day = 0; day < 30; day++) backUpHourly(db, { folder: home.backups, now: NOW + day * DAY })
    expect(backupsIn(home.backups).map((each) => (each.at - NOW) / DAY)).toEqual(
      Array.from({ length: 24 }, (_, i) => 29 - i),
    )
    expect(readdirSync(home.backups)).toHaveLength(25)
  })

  test('is not delayed by a backup dated in the future', async () => {
    const { home, db } = await homeWith(['a'])
    using _ = db
    backUp(db, { folder: home.backups, now: NOW + 1000 * DAY })
    backUpHourly(db, { folder: home.backups, now: NOW })
    expect(backupsIn(home.backups)).toHaveLength(2)
  })

  test('that fails does not fail the command and leaves no partial file', async () => {
    const { home, db } = await homeWith(['a'])
    using _ = db
    writeFileSync(home.backups, 'a file where the folder should be')
    backUpHourly(db, { folder: home.backups, now: NOW })
    expect(readdirSync(home.path).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  test('follows a command that wrote, not one that only read', async () => {
    const { home, db } = await homeWith(['a'])
    db[Symbol.dispose]()
    await contents(home.path)
    expect(backupsIn(home.backups)).toEqual([])
    {
      await using queue = openLocalQueue(home)
      await queue.stats()
    }
    expect(backupsIn(home.backups)).toEqual([])
    await addTasks(home.path, ['b'])
    expect(backupsIn(home.backups)).toHaveLength(1)
    expect(examineStore(backupsIn(home.backups)[0]?.path ?? '')).toMatchObject({ tasks: 2 })
  })
})

test('the store is backed up before tasks are deleted or overwritten, at most once in five minutes', async () => {
  const { home, db } = await homeWith(['a', 'b', 'c'])
  db[Symbol.dispose]()
  await using queue = openLocalQueue(home)
  await queue.remove(['fleet-000'], 'tester')
  await queue.remove(['fleet-001'], 'tester')
  const copies = backupsIn(home.backups)
  expect(copies).toHaveLength(1)
  expect(examineStore(copies[0]?.path ?? '')).toMatchObject({ kind: 'good', tasks: 3 })
})

describe('a store of an older version', () => {
  const later = [...MIGRATIONS, 'create table later (id integer primary key) strict']

  test('is backed up before it is migrated, even if it was opened for reading', async () => {
    for (const readOnly of [false, true]) {
      const { home, db } = await homeWith(['a'])
      db[Symbol.dispose]()
      const beforeMigration = (old: Database) => void backUp(old, { folder: home.backups, now: NOW })
      using after = openStore({ path: home.store, readOnly, migrations: later, beforeMigration })
      expect(after.once('select count(*) as count from later').get()).toEqual({ count: 0 })
      const copies = backupsIn(home.backups).map((each) => basename(each.path))
      expect(copies).toEqual(['fleet-20261130T142501.123Z.db'])
      expect(examineStore(join(home.backups, copies[0] ?? ''))).toMatchObject({
        kind: 'good',
        version: MIGRATIONS.length,
        tasks: 1,
      })
    }
  })

  test('is unchanged if a migration step fails', async () => {
    const { home, db } = await homeWith(['a'])
    db[Symbol.dispose]()
    const broken = [...MIGRATIONS, 'create table half (id integer); create table half (id integer)']
    expect(() => openStore({ path: home.store, migrations: broken })).toThrow()
    expect(examineStore(home.store)).toMatchObject({ kind: 'good', version: MIGRATIONS.length, tasks: 1 })
  })
})
