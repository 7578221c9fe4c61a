import { expect, test } from 'vitest'
import { Home } from '../../../src/platform/files/home.ts'
import { lockForMigration, lockForWriting } from '../../../src/platform/sqlite/queue-lock.ts'
import { temporaryFolder } from '../../support/cli.ts'

test('writers share the queue lock, and a migration excludes them', () => {
  const home = new Home(temporaryFolder())
  const move = () => lockForMigration(home, { patienceMs: 20 })
  {
    using _first = lockForWriting(home)
    {
      using _second = lockForWriting(home)
    }
    expect(move).toThrow('another command has the queue of this home open')
  }
  using _moving = move()
  expect(() => lockForWriting(home, { patienceMs: 20 })).toThrow('the tasks of this home are being migrated')
})

test('in a read-only home the queue on a server can still be written', () => {
  using _writer = lockForWriting(new Home('/nowhere/at/all'))
})
