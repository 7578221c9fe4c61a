import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalQueue } from '../../../src/app.ts'
import { Home } from '../../../src/platform/files/home.ts'
import { HomeFiles } from '../../../src/platform/files/store-watch.ts'
import { bootId, processEntry } from '../../../src/platform/process/process-table.ts'
import { Database } from '../../../src/platform/sqlite/database.ts'
import { acquireSupervisorLock, supervisorAlive } from '../../../src/platform/sqlite/supervisor-lock.ts'
import { temporaryFolder } from '../../support/cli.ts'

function newHome(): Home {
  const home = new Home(temporaryFolder())
  createLocalQueue(home)
  return home
}

const never = (): boolean => {
  throw new Error('nothing has become smaller')
}

test('a store that a vacuum has made smaller is not lost', () => {
  const home = newHome()
  using db = new Database(home.store)
  db.exec('create table filler (text)')
  db.exec(
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into filler select printf('%1000d', i) from n",
  )
  db.exec('pragma wal_checkpoint(truncate)')
  const files = new HomeFiles(home)
  const before = statSync(home.store).size
  expect(files.lost(never)).toBeUndefined()
  db.exec('drop table filler')
  db.exec('vacuum')
  db.exec('pragma wal_checkpoint(truncate)')
  expect(statSync(home.store).size).toBeLessThan(before)
  let asked = 0
  expect(files.lost(() => ++asked > 0)).toBeUndefined()
  expect(asked).toBe(1)
  expect(files.lost(never)).toBeUndefined()
})

test('a file that appears only later is watched from then on', () => {
  const home = newHome()
  const files = new HomeFiles(home)
  writeFileSync(home.supervisorLock, '')
  expect(files.lost(never)).toBeUndefined()
  rmSync(home.supervisorLock)
  expect(files.lost(never)).toEqual({ what: 'lock', how: 'gone', path: home.supervisorLock })
})

test.skipIf(process.getuid?.() === 0)('a home that cannot be entered for a while is not lost', () => {
  const home = newHome()
  const files = new HomeFiles(home)
  chmodSync(home.path, 0)
  expect(files.lost(never)).toBeUndefined()
  chmodSync(home.path, 0o700)
  expect(files.lost(never)).toBeUndefined()
})

test('a store that must exist is not made in place of one that was just removed', () => {
  const home = newHome()
  rmSync(home.store)
  expect(() => new Database(home.store, { mustExist: true })).toThrow(/cannot be opened/)
  expect(existsSync(home.store)).toBe(false)
})

test.runIf(existsSync('/proc/self/fd'))('a record that names any other process does not make it a supervisor', () => {
  const home = newHome()
  const parent = { pid: process.ppid, startTime: processEntry(process.ppid)?.startTime, bootId: bootId() }
  writeFileSync(join(home.path, 'supervisor.json'), JSON.stringify({ schema_version: 1, ...parent, mode: 'claiming' }))
  expect(supervisorAlive(home)).toBeUndefined()
  const acquired = acquireSupervisorLock(home, { version: '0', now: Date.now() })
  expect(acquired.kind).toBe('held')
  if (acquired.kind === 'held') acquired.lock.release()
})
