import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fleetHome } from '../support/home-run.ts'

test('fleet run start says in its own words why the supervisor did not begin, though it held the home', async () => {
  const fleet = await fleetHome()
  const bin = join(fleet.path, 'bin')
  rmSync(bin, { recursive: true, force: true })
  writeFileSync(bin, '')
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
