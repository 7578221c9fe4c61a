import { expect, test } from 'vitest'
import { Home } from '../../../src/platform/files/home.ts'
import { lockForMigration, lockForWriting } from '../../../src/platform/sqlite/queue-lock.ts'
import { temporaryFolder } from '../../support/cli.ts'

test('writers share a queue, a move waits for all of them, and they for it', () => {
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
  expect(() => lockForWriting(home, { patienceMs: 20 })).toThrow('the tasks of this home are being moved')
})

test('in a home that cannot be written a queue elsewhere still can', () => {
  using _writer = lockForWriting(new Home('/nowhere/at/all'))
})
