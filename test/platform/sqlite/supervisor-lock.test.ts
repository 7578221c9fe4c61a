import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../../../src/platform/files/home.ts'
import { acquireSupervisorLock, supervisorAlive } from '../../../src/platform/sqlite/supervisor-lock.ts'
import { place } from '../../support/agents.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { standIn } from '../../support/stand-ins.ts'

/** When this process started: a record that says otherwise is taken for one by a clock that was set since. */
const NOW = Math.round(performance.timeOrigin)
const ME = { version: '1.2.3', now: NOW }
const NOBODY_KNOWN = { proc: null, startedAt: null, version: null, mode: null, flags: null, lacks: null }

function emptyHome(): Home {
  const path = join(temporaryFolder(), 'home')
  mkdirSync(path, { mode: 0o700 })
  return new Home(path)
}

test('of four supervisors that start at once one holds the home, and the others can name it', async () => {
  const home = emptyHome()
  const now = Date.now()
  const starters = await Promise.all(Array.from({ length: 4 }, () => standIn({ home: home.path, now })))
  const winners = starters.filter(({ lock }) => lock?.kind === 'held')
  expect(winners).toHaveLength(1)
  const proc = expect.objectContaining({ pid: winners[0]?.pid })
  const holder = { proc, startedAt: now, version: '1.2.3', mode: null, flags: {}, lacks: null }
  expect(starters.filter((each) => each !== winners[0]).map(({ lock }) => lock)).toEqual(
    Array(3).fill({ kind: 'taken', holder }),
  )
  expect(supervisorAlive(home)).toEqual(holder)
})

test('a killed supervisor frees the home, though its agents live on', async () => {
  const home = emptyHome()
  const { run, folder, agents } = place()
  const order = { run, folder, program: '/bin/sleep', args: ['60'], cwd: folder, env: {}, stdin: undefined }
  const first = await standIn({ home: home.path, agents: [{ ...order, namespace: false }] })
  await first.kill()
  expect(agents.look({ run, folder, proc: first.procs[0] ?? null })).toMatchObject({ kind: 'alive' })
  expect(supervisorAlive(home)).toBeUndefined()
  const second = acquireSupervisorLock(home, ME)
  expect(second.kind).toBe('held')
  if (second.kind === 'held') second.lock.release()
})

test('what a killed supervisor left behind is not taken for the next one', async () => {
  const home = emptyHome()
  const first = await standIn({ home: home.path })
  await first.kill()
  const left = readFileSync(join(home.path, 'supervisor.json'), 'utf8')
  const second = await standIn({ home: home.path })
  expect(supervisorAlive(home)?.proc?.pid).toBe(second.pid)
  expect(JSON.parse(left).pid).toBe(first.pid)
})

test('asking does not keep a supervisor from starting, and a release leaves nothing but the lock file', () => {
  const home = emptyHome()
  expect(supervisorAlive(home)).toBeUndefined()
  const acquired = acquireSupervisorLock(home, ME)
  expect(acquired.kind).toBe('held')
  expect(supervisorAlive(home)).toMatchObject({ proc: { pid: process.pid }, startedAt: NOW, version: '1.2.3' })
  // Asked by itself, too: its own lock stays.
  expect(acquireSupervisorLock(home, ME)).toMatchObject({ kind: 'taken', holder: { proc: { pid: process.pid } } })
  if (acquired.kind === 'held') acquired.lock.release()
  expect(supervisorAlive(home)).toBeUndefined()
  expect(acquireSupervisorLock(home, ME).kind).toBe('held')
})

test('what the holder says it does can be read by others, until it lets go', () => {
  const home = emptyHome()
  const acquired = acquireSupervisorLock(home, ME)
  if (acquired.kind !== 'held') throw new Error('taken')
  expect(supervisorAlive(home)?.mode).toBeNull()
  acquired.lock.tell('draining')
  expect(supervisorAlive(home)).toMatchObject({ proc: { pid: process.pid }, startedAt: NOW, mode: 'draining' })
  acquired.lock.release()
  acquired.lock.tell('claiming')
  expect(existsSync(join(home.path, 'supervisor.json'))).toBe(false)
})

test('a holder whose clock was set after its start is as old as its process', () => {
  const home = emptyHome()
  const acquired = acquireSupervisorLock(home, { ...ME, now: 1000 })
  if (acquired.kind !== 'held') throw new Error('taken')
  expect(Math.abs((supervisorAlive(home)?.startedAt ?? 0) - NOW)).toBeLessThan(60_000)
  acquired.lock.release()
})

test('the flags of the holder can be read by others, and are unknown if an older fleet wrote the record', () => {
  const home = emptyHome()
  const flags = { coder: 'shell', model: 'm', max: 7, once: true }
  const acquired = acquireSupervisorLock(home, { ...ME, flags })
  if (acquired.kind !== 'held') throw new Error('taken')
  expect(supervisorAlive(home)?.flags).toEqual(flags)
  acquired.lock.tell('claiming')
  expect(supervisorAlive(home)).toMatchObject({ mode: 'claiming', flags })
  const file = join(home.path, 'supervisor.json')
  const { flags: _, ...older } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(older))
  expect(supervisorAlive(home)).toMatchObject({ mode: 'claiming', flags: null })
  acquired.lock.release()
})

test('a holder that has not introduced itself is alive all the same', async () => {
  const home = emptyHome()
  const holder = await standIn({ home: home.path })
  for (const text of ['', '{', '[]', '{"pid":1,"startTime":"0","bootId":"x"}']) {
    writeFileSync(join(home.path, 'supervisor.json'), text)
    expect(supervisorAlive(home)).toEqual(NOBODY_KNOWN)
  }
  await holder.kill()
  expect(supervisorAlive(home)).toBeUndefined()
})

test('a holder learns that the file of its lock was replaced', () => {
  const home = emptyHome()
  const acquired = acquireSupervisorLock(home, ME)
  if (acquired.kind !== 'held') throw new Error('taken')
  using lock = acquired.lock
  expect(lock.isLost()).toBe(false)
  renameSync(home.supervisorLock, `${home.supervisorLock}.old`)
  expect(lock.isLost()).toBe(true)
  writeFileSync(home.supervisorLock, '')
  expect(lock.isLost()).toBe(true)
})

test('the files of the lock are for their owner alone', async () => {
  const home = emptyHome()
  await standIn({ home: home.path })
  const modes = ['lock.db', 'supervisor.json'].map((name) => (statSync(join(home.path, name)).mode & 0o777).toString(8))
  expect(modes).toEqual(['600', '600'])
})
