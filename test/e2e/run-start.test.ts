import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FleetHome, fleetHome } from '../support/home-run.ts'

const STORE_FILES = ['fleet.db', 'fleet.db-wal', 'fleet.db-shm']

/** A store that only the supervisor opens for writing, and that it cannot open. Returns a function that puts the store back. */
function damagedStore({ path }: FleetHome): () => void {
  const aside = join(path, 'aside')
  mkdirSync(aside)
  const there = STORE_FILES.filter((name) => existsSync(join(path, name)))
  for (const name of there) renameSync(join(path, name), join(aside, name))
  writeFileSync(join(path, 'fleet.db'), 'x'.repeat(8192))
  return () => {
    for (const name of STORE_FILES) rmSync(join(path, name), { force: true })
    for (const name of there) renameSync(join(aside, name), join(path, name))
  }
}

test('`fleet run start` reports why the supervisor did not start, even though it locked the home', async () => {
  const fleet = await fleetHome()
  const putBack = damagedStore(fleet)
  expect(await fleet.beside(['run', 'start'])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(`^fleet: the supervisor did not start: ${fleet.path}/fleet.db is damaged`),
  })
  putBack()
  expect(fleet.fleet(['run', 'status']).stdout).toBe('stopped\n')
  expect(await fleet.beside(['run', 'start'])).toMatchObject({ code: 0, stderr: '' })
  expect(fleet.fleet(['run', 'status']).stdout).toMatch(/^running /)
})

test("a file where the folder of the agents' own fleet should be does not keep the supervisor from starting", async () => {
  const fleet = await fleetHome()
  const bin = join(fleet.path, 'bin')
  rmSync(bin, { recursive: true, force: true })
  writeFileSync(bin, 'mine')
  expect(await fleet.beside(['run', 'start'])).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(bin)).toEqual(['fleet'])
  expect(readFileSync(`${bin}.refused`, 'utf8')).toBe('mine')
})

test('of several simultaneous `fleet run start`, one starts a supervisor and the others name it', async () => {
  const fleet = await fleetHome()
  const starts = await Promise.all(Array.from({ length: 4 }, () => fleet.beside(['run', 'start'])))
  expect(starts.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(4).fill({ code: 0, stderr: '' }))
  const { pid } = JSON.parse(fleet.fleet(['run', 'status', '--json']).stdout)
  // A supervisor that holds the lock but has not written its record yet has no known pid.
  const already = expect.stringMatching(`^already running( \\(pid ${pid}\\))?\n$`)
  expect(starts.map(({ stdout }) => stdout).sort()).toEqual([
    already,
    already,
    already,
    `supervisor started (pid ${pid})\n`,
  ])
})

test('`fleet run start` shows only the output of the supervisor that just failed to start', async () => {
  const fleet = await fleetHome()
  const output = join(fleet.path, 'logging', 'supervisor.out')
  mkdirSync(join(fleet.path, 'logging'), { recursive: true })
  writeFileSync(output, 'fleet: an old complaint\n')
  const putBack = damagedStore(fleet)
  const { stderr } = await fleet.beside(['run', 'start'])
  expect(stderr).toBe(
    `fleet: the supervisor did not start: ${fleet.path}/fleet.db is damaged: file is not a database\n  fleet doctor names the newest automatic backup and how to restore it\n  see ${output}\n`,
  )
  putBack()
})

test('`fleet run start` names the file it cannot write to', async () => {
  const fleet = await fleetHome()
  const output = join(fleet.path, 'logging', 'supervisor.out')
  mkdirSync(output, { recursive: true })
  expect(await fleet.beside(['run', 'start'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `fleet: ${output} was left alone: it is a directory, not a file\n  move it away and run it again\n`,
  })
})
