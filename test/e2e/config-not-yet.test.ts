import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'
import { eventually, fleetHome } from '../support/home-run.ts'

test.each([
  ['budget.usd_per_day=5', 'budget.usd_per_day is not available yet'],
  ['lanes.work.cap=2', 'lanes.work.cap is not available yet'],
  ['lanes.work.env.A=b', 'lanes.work.env.A is not available yet'],
  ['projects./a.context=x', 'projects."/a".context is not available yet'],
])('fleet config set %s is refused, and the file stays as it is', (setting, message) => {
  const home = testHome()
  const file = join(home.path, 'runtime.toml')
  const before = readFileSync(file, 'utf8')
  expect(home.fleet(['config', 'set', 'lean=true', setting])).toEqual({
    code: 3,
    stdout: '',
    stderr: `fleet: ${message}\n  nothing was changed; fleet config show lists the settings\n`,
  })
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('what has no effect can be removed', () => {
  const home = testHome()
  writeFileSync(join(home.path, 'runtime.toml'), '[budget]\nusd_per_day = 5 # not more\n')
  const warning = 'runtime.toml: budget.usd_per_day is not available yet and has no effect\n'
  expect(home.fleet(['config', 'show'])).toMatchObject({ code: 0, stderr: warning })
  expect(home.fleet(['doctor']).stdout).toContain(warning.trim())
  expect(home.fleet(['config', 'set', 'budget.usd_per_day='])).toEqual({
    code: 0,
    stdout: 'budget.usd_per_day is removed  (was 5)\n',
    stderr: '',
  })
  expect(readFileSync(join(home.path, 'runtime.toml'), 'utf8')).toBe('[budget]\n# usd_per_day = 5 # not more\n')
})

test.each([
  ['budget', 'fleet config show lists the settings in force'],
  ['budget.usd_per_day', 'fleet config show lists the settings in force'],
])('fleet config get %s says the same as config set', (key, hint) => {
  expect(testHome().fleet(['config', 'get', key])).toEqual({
    code: 4,
    stdout: '',
    stderr: `fleet: ${key} is not available yet\n  ${hint}\n`,
  })
})

test('a supervisor names such settings once, works with the rest, and reads the file again', async () => {
  const fleet = await fleetHome()
  const file = join(fleet.path, 'runtime.toml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, `${text}\n[lanes.work]\ncap = 3\norder = 1\n`)
  const supervisor = await fleet.supervise()
  const told = () => fleet.log().filter(({ event }) => event === 'config-without-effect')
  const id = await fleet.script('true')
  await fleet.becomes(id, 'closed')
  expect(told()).toMatchObject([{ keys: ['lanes.work.cap', 'lanes.work.order'] }])
  expect(supervisor.output()).toContain(
    '! runtime.toml: lanes.work.cap and lanes.work.order are not available yet and have no effect\n',
  )
  const reloads = () => fleet.log().filter(({ event }) => event === 'config-reloaded').length
  expect(fleet.fleet(['config', 'set', 'max_concurrent=7']).code).toBe(0)
  await eventually(() => reloads() === 1, 'the supervisor has read it')
  expect(told()).toHaveLength(1)
})
