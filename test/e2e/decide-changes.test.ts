import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claims, type Fleet, init, result, testFleet, tool, until, writes } from '../support/supervisor.ts'

const config = (fleet: Fleet): string => join(fleet.home.path, 'runtime.toml')
const edit = (fleet: Fleet, from: RegExp, to: string): void =>
  writeFileSync(config(fleet), readFileSync(config(fleet), 'utf8').replace(from, to))
const inForce = (fleet: Fleet, key: string): string => fleet.fleet('config', 'get', key).stdout.trim()
const reloads = (fleet: Fleet): number => fleet.log().filter(({ event }) => event === 'config-reloaded').length

async function reloaded(fleet: Fleet, times: number): Promise<void> {
  await until(
    async () => reloads(fleet) === times,
    () => `reloaded ${times} times`,
  )
}

/** A supervisor with one agent that waits for the file `go`. */
async function withAgent(): Promise<{ fleet: Fleet; id: string }> {
  const fleet = testFleet()
  const go = join(fleet.home.project, 'go')
  const id = fleet.create('Waits', [init, tool({ waitFor: go }), writes('x.txt'), claims(), result()])
  await fleet.start()
  await fleet.started(id)
  return { fleet, id }
}

test('an edit by editor while no agent runs is in force at once', async () => {
  const fleet = testFleet()
  await fleet.start()
  await until(
    async () => fleet.log().some(({ event }) => event === 'supervisor-started'),
    () => 'it has started',
  )
  edit(fleet, /^max_concurrent.*/m, 'max_concurrent = 7')
  await reloaded(fleet, 1)
  expect(inForce(fleet, 'max_concurrent')).toBe('7')
  const id = fleet.create('Next', 'true')
  await fleet.settled(id, 'closed')
  expect(fleet.log().filter(({ event }) => event === 'file-changed')).toEqual([])
  await fleet.end('SIGTERM')
  edit(fleet, /^max_concurrent.*/m, 'max_concurrent = 8')
  expect(inForce(fleet, 'max_concurrent')).toBe('8')
})

test('an edit by editor while agents run is in force after fleet config accept, without a restart', async () => {
  const { fleet } = await withAgent()
  edit(fleet, /^max_concurrent.*/m, 'max_concurrent = 7')
  expect(inForce(fleet, 'max_concurrent')).toBe('10')
  expect(fleet.fleet('config', 'accept', '--dry-run').stdout).toContain('+ max_concurrent = 7')
  expect(inForce(fleet, 'max_concurrent')).toBe('10')
  const accepted = fleet.fleet('config', 'accept', '--json')
  expect(JSON.parse(accepted.stdout)).toMatchObject({
    files: [
      {
        file: 'runtime.toml',
        decision: 'accepted',
        diff: expect.arrayContaining(['-max_concurrent = 10', '+max_concurrent = 7']),
      },
    ],
  })
  await reloaded(fleet, 1)
  expect(inForce(fleet, 'max_concurrent')).toBe('7')
  expect(fleet.fleet('config', 'accept')).toMatchObject({ code: 0, stdout: 'Nothing waits for a decision.\n' })
  fleet.touch('go')
})

test('fleet config set is in force at once while agents run, and needs no accept', async () => {
  const { fleet } = await withAgent()
  expect(fleet.fleet('config', 'set', 'max_concurrent=6')).toMatchObject({ code: 0 })
  await reloaded(fleet, 1)
  expect(inForce(fleet, 'max_concurrent')).toBe('6')
  expect(fleet.fleet('tasks').stdout).not.toContain('was changed while agents ran')
  expect(fleet.log().filter(({ event }) => event === 'file-changed')).toEqual([])
  fleet.touch('go')
})

test('a wrong edit while agents run cannot be accepted, and a masked value that changed is named', async () => {
  const { fleet } = await withAgent()
  const before = readFileSync(config(fleet), 'utf8')
  writeFileSync(config(fleet), `${before}\nmax_attempts = "lots"\n`)
  expect(fleet.fleet('config', 'accept')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('nothing was accepted'),
  })
  expect(inForce(fleet, 'max_attempts')).toBe('3')
  writeFileSync(config(fleet), before)
  expect(
    fleet.fleet('config', 'set', 'coders.mine.command=["x", "{prompt_file}"]', 'coders.mine.env.API_TOKEN=abc'),
  ).toMatchObject({ code: 0 })
  edit(fleet, /"abc"/, '"def"')
  const shown = fleet.fleet('config', 'accept', '--dry-run').stdout
  expect(shown).toContain('coders.mine.env.API_TOKEN has another value, which is masked')
  expect(shown).not.toMatch(/abc|def/)
  fleet.touch('go')
})

test('an edit of task.json while other agents run takes effect after fleet task accept', async () => {
  const { fleet } = await withAgent()
  const id = fleet.create('Edited', 'true', '--defer', '2099-01-01')
  const file = join(fleet.home.path, 'tasks', id, 'task.json')
  const change = (model: string): void =>
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), model }))
  change('m-9')
  expect(fleet.fleet('show', id).stdout).toContain(`fleet task ${id} accept | revert`)
  expect(fleet.fleet('bd', 'update', id, '--title', 'Other')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('not applied'),
  })
  expect((await fleet.task(id)).metadata).not.toMatchObject({ fleet: { model: 'm-9' } })
  expect(fleet.fleet('task', id, 'accept')).toMatchObject({ code: 0, stdout: expect.stringContaining('model m-9') })
  expect((await fleet.task(id)).metadata).toMatchObject({ fleet: { model: 'm-9' } })
  change('m-10')
  expect(fleet.fleet('task', id, 'revert')).toMatchObject({ code: 0 })
  expect((await fleet.task(id)).metadata).toMatchObject({ fleet: { model: 'm-9' } })
  expect(readFileSync(file, 'utf8')).toContain('m-9')
  expect(existsSync(`${file}.refused`)).toBe(true)
  expect(fleet.fleet('task', id, 'accept')).toMatchObject({ code: 0, stdout: expect.stringContaining('model m-10') })
  expect(fleet.fleet('task', id, 'revert')).toMatchObject({ code: 4 })
  fleet.touch('go')
})
