import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordedSupervisor, settledSupervisor, stopSupervisor } from '../../src/actions/stop-supervisor.ts'
import { Home } from '../../src/platform/files/home.ts'
import { acquireSupervisorLock, type Held, supervisorAlive } from '../../src/platform/sqlite/supervisor-lock.ts'
import { temporaryFolder } from '../support/cli.ts'
import { standIn } from '../support/stand-ins.ts'

function emptyHome(): Home {
  const path = join(temporaryFolder(), 'home')
  mkdirSync(path, { mode: 0o700 })
  return new Home(path)
}

/** Holds the lock as a supervisor does in its last moment: its record is gone, the lock is not. */
function almostEnded(home: Home): Held {
  const acquired = acquireSupervisorLock(home, { version: '1.2.3', now: 1000 })
  if (acquired.kind !== 'held') throw new Error('the home is taken')
  rmSync(join(home.path, 'supervisor.json'))
  return acquired.lock
}

test('a supervisor in its last moment, between its record and its lock, counts as stopped when it has ended', async () => {
  const home = emptyHome()
  using lock = almostEnded(home)
  const holder = supervisorAlive(home)
  if (holder === undefined) throw new Error('the lock is free')
  expect(holder.proc).toBeNull()
  const stopped = stopSupervisor({ home, holder, how: 'keep' })
  lock.release()
  await expect(stopped).resolves.toBeUndefined()
})

test('a supervisor in its last moment does not count as running when it has ended', async () => {
  const home = emptyHome()
  using lock = almostEnded(home)
  const settled = settledSupervisor(home)
  lock.release()
  expect(await settled).toBeUndefined()
})

test('a supervisor that starts while another ends is the one to stop', async () => {
  const home = emptyHome()
  using lock = almostEnded(home)
  const recorded = recordedSupervisor(home)
  lock.release()
  const next = await standIn({ home: home.path })
  expect([undefined, next.pid]).toContain((await recorded)?.proc.pid)
  expect((await recordedSupervisor(home))?.proc.pid).toBe(next.pid)
})

test('a supervisor that never shows its record cannot be stopped from here', async () => {
  const home = emptyHome()
  using _lock = almostEnded(home)
  expect(await settledSupervisor(home)).toMatchObject({ proc: null })
  await expect(recordedSupervisor(home)).rejects.toThrow('the supervisor runs where this process cannot see it')
})
