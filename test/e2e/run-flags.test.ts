import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fleetHome } from '../support/home-run.ts'
import { created } from '../support/tasks.ts'

test('the flags of the running supervisor are shown beside its tasks, and a restart keeps them', async () => {
  const fleet = await fleetHome(['coder=claude'])
  const id = created(fleet, 'Next')
  expect(fleet.fleet(['pause']).code).toBe(0)
  const chosen = () => {
    const [queued] = JSON.parse(fleet.fleet(['tasks', '--all', '--json']).stdout).queued
    const shown = JSON.parse(fleet.fleet(['show', id, '--json']).stdout).fleet
    return [queued, shown].map(({ coder, model }) => ({ coder, model }))
  }
  expect(chosen()).toEqual(Array(2).fill({ coder: 'claude', model: 'sonnet' }))
  const { exited } = await fleet.supervise({ argv: ['--coder', 'shell', '--model=m', '--max', '7'] })
  expect(chosen()).toEqual(Array(2).fill({ coder: 'shell', model: 'm' }))
  expect((await fleet.beside(['run', 'restart'])).code).toBe(0)
  await exited
  expect(chosen()).toEqual(Array(2).fill({ coder: 'shell', model: 'm' }))
  expect((await fleet.beside(['run', 'stop'])).code).toBe(0)
  expect(chosen()).toEqual(Array(2).fill({ coder: 'claude', model: 'sonnet' }))
})

test('a restart says so if the old supervisor recorded no flags, as older versions of fleet did not', async () => {
  const fleet = await fleetHome()
  const { exited } = await fleet.supervise({ argv: ['--max', '7'] })
  const file = join(fleet.path, 'supervisor.json')
  const { flags: _, ...older } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(older))
  const { code, stdout } = await fleet.beside(['run', 'restart'])
  await exited
  expect({ code, stdout: stdout.replace(/pid \d+/, 'pid') }).toEqual({
    code: 0,
    stdout:
      'supervisor restarted (pid)\n! the old supervisor did not record its flags; if it had any, give them again: fleet run restart --max N\n',
  })
  expect((await fleet.beside(['run', 'stop'])).code).toBe(0)
})

test('`fleet run start` with other flags than the running supervisor says how to apply them', async () => {
  const fleet = await fleetHome()
  const { pid } = await fleet.supervise({ argv: ['--max', '7'] })
  const already = (argv: readonly string[]) => fleet.fleet(['run', 'start', ...argv])
  for (const same of [[], ['--max', '7']]) {
    expect(already(same)).toEqual({ code: 0, stdout: `already running (pid ${pid})\n`, stderr: '' })
  }
  expect(already(['--max', '8', '--model', 'a b'])).toEqual({
    code: 0,
    stdout: `already running (pid ${pid}) with other flags; fleet run restart '--model=a b' --max=8 changes them\n`,
    stderr: '',
  })
})

test('`fleet run` refuses contradictory or empty flags, and stops nothing', async () => {
  const fleet = await fleetHome()
  const { pid } = await fleet.supervise()
  expect(fleet.fleet(['run', 'stop', '--keep', '--now'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'fleet: --keep leaves the agents running and --now kills them: give one of the two\n  nothing was stopped\n',
  })
  for (const how of [['run'], ['run', 'start'], ['run', 'restart']]) {
    expect(fleet.fleet([...how, '--model', ''])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'fleet: --model is empty\n  leave it out to use the model of the configuration\n',
    })
  }
  expect(JSON.parse(fleet.fleet(['run', 'status', '--json']).stdout)).toMatchObject({ pid, state: 'claiming' })
})
