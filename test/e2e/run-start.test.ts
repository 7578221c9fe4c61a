import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FleetHome, fleetHome } from '../support/home-run.ts'

/** A file where the supervisor needs a folder. */
function inTheWay({ path }: FleetHome): string {
  const bin = join(path, 'bin')
  rmSync(bin, { recursive: true, force: true })
  writeFileSync(bin, '')
  return bin
}

test('`fleet run start` reports why the supervisor did not start, even though it locked the home', async () => {
  const fleet = await fleetHome()
  const bin = inTheWay(fleet)
  expect(await fleet.beside(['run', 'start'])).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(`^fleet: the supervisor did not start: ${bin} .*a file is in the way`),
  })
  expect(fleet.fleet(['run', 'status']).stdout).toBe('stopped\n')
  rmSync(bin)
  expect(await fleet.beside(['run', 'start'])).toMatchObject({ code: 0, stderr: '' })
  expect(fleet.fleet(['run', 'status']).stdout).toMatch(/^running /)
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
  const bin = inTheWay(fleet)
  const { stderr } = await fleet.beside(['run', 'start'])
  expect(stderr).toBe(
    `fleet: the supervisor did not start: ${bin} cannot be made: a file is in the way\n  move it away and run it again\n  see ${output}\n`,
  )
})

test('`fleet run start` names the file it cannot write to', async () => {
  const fleet = await fleetHome()
  const output = join(fleet.path, 'logging', 'supervisor.out')
  mkdirSync(output, { recursive: true })
  expect(await fleet.beside(['run', 'start'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `fleet: ${output} is a directory, not a file\n  move it away and run it again\n`,
  })
})
