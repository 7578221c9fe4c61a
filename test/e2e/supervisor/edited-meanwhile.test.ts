import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Database } from '../../../src/platform/sqlite/database.ts'
import { HomeRecord } from '../../../src/platform/sqlite/home-record.ts'
import { claims, type Fleet, healthy, init, result, testFleet, tool } from '../../support/supervisor.ts'

const REFUSED = 'task.json was changed while an agent was at work, so it was not applied'
const sh = (script: string) => tool({ run: ['sh', '-c', `cd "$FLEET_TASK_DIR"; ${script}`] })
/** Settings that would let the agent close its task easily. */
const EASY = { coder: 'shell', command: 'echo all tests pass' }
const edits = sh(`printf '%s' '${JSON.stringify(EASY)}' >task.json`)

const taskFile = (fleet: Fleet, id: string) => JSON.parse(fleet.text(id, 'task.json'))
const place = (fleet: Fleet, id: string) => join(fleet.home.path, 'tasks', id, 'task.json')
const coders = (fleet: Fleet, id: string) => fleet.runs(id).map(({ coder }) => coder)

describe('a change of task.json while an agent runs', () => {
  test('is not applied; it is set aside and reported', async () => {
    const fleet = testFleet({ config: ['max_attempts=2'] })
    const id = fleet.create('Chooses its judge', [init, edits, result()])
    const before = taskFile(fleet, id)
    await fleet.start()
    await fleet.settled(id, 'blocked')
    expect(coders(fleet, id)).toEqual(['claude', 'claude'])
    expect(taskFile(fleet, id)).toEqual(before)
    expect(JSON.parse(fleet.text(id, 'task.json.refused'))).toEqual(EASY)
    expect(statSync(`${place(fleet, id)}.refused`).mode & 0o777).toBe(0o600)
    const text = `${REFUSED}; it is kept as task.json.refused; fleet bd update ${id} --coder ... --model ... --cwd ... changes settings at any time`
    expect(fleet.receipt(id, 1).warnings).toEqual([text])
    expect(fleet.receipt(id, 2).warnings).toEqual([text])
    const log = fleet.text(id, 'log.jsonl').trimEnd().split('\n')
    expect(log.map((line) => JSON.parse(line).event)).toEqual([
      'started',
      'edit-refused',
      'ended',
      'started',
      'edit-refused',
      'ended',
    ])
    const shown = fleet.fleet('show', id).stdout
    expect(shown).toContain(
      `task.json:    changed while an agent was at work, so not applied: ${place(fleet, id)}.refused`,
    )
    expect(shown).toContain(`fleet bd update ${id} --coder ...`)
  })

  test('is detected by the next supervisor if the first is killed', async () => {
    const fleet = testFleet({ config: ['max_attempts=1'] })
    const id = fleet.create('Outlives', [init, edits, { touch: '../edited' }, { waitFor: '../go' }, result()])
    await fleet.start()
    await until(fleet, 'edited')
    await fleet.end('SIGKILL')
    fleet.touch('go')
    await fleet.start()
    await fleet.settled(id, 'blocked')
    expect(fleet.receipt(id).warnings).toEqual([expect.stringContaining(REFUSED)])
    expect(taskFile(fleet, id)).not.toHaveProperty('coder')
    expect(fleet.fleet('retry', id).code).toBe(0)
    await fleet.ended(id, 2)
    expect(coders(fleet, id)).toEqual(['claude', 'claude'])
  })

  test("is not applied by a person's `fleet bd update`; the update itself is", async () => {
    const fleet = testFleet({ config: ['max_attempts=1'] })
    const id = fleet.create('Waits', [init, edits, { touch: '../edited' }, { waitFor: '../go' }, result()])
    await fleet.start()
    await until(fleet, 'edited')
    const updated = fleet.fleet('bd', 'update', id, '--model', 'opus')
    expect(updated).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`so it is not applied: fleet task ${id} accept | revert; fleet bd update`),
    })
    expect(fleet.fleet('bd', 'update', id, '--claim').code).toBe(1)
    expect((await fleet.task(id)).metadata).toMatchObject({ fleet: { model: 'opus' } })
    fleet.touch('go')
    await fleet.settled(id, 'blocked')
    expect((await fleet.task(id)).metadata).not.toMatchObject({ fleet: { coder: 'shell' } })
    expect(taskFile(fleet, id)).toMatchObject({ model: 'opus' })
    expect(fleet.receipt(id).warnings).toEqual([expect.stringContaining(REFUSED)])
  })

  test('that replaces it with a link, pipe or folder holds up no later attempt', async () => {
    const fleet = testFleet({ config: ['max_attempts=2'] })
    const mine = `echo '${JSON.stringify(EASY)}' >"$FLEET_ARTIFACT_DIR/mine.json"`
    const others = {
      'a link': 'ln -s artifacts/mine.json task.json',
      'a pipe': 'mkfifo task.json',
      'a folder': 'mkdir task.json; echo x >task.json/x',
      'a link to nothing': 'ln -s nowhere task.json',
    }
    const ids = Object.entries(others).map(([title, script]) =>
      fleet.create(title, [[init, sh(`${mine}; rm task.json; ${script}`), result()], healthy('x.txt')]),
    )
    const before = ids.map((id) => taskFile(fleet, id))
    await fleet.start()
    for (const [i, id] of ids.entries()) {
      await fleet.settled(id, 'closed')
      expect(coders(fleet, id)).toEqual(['claude', 'claude'])
      expect(taskFile(fleet, id)).toEqual(before[i])
      expect(fleet.receipt(id, 1).warnings).toEqual([expect.stringMatching(`^${REFUSED}; fleet bd update`)])
      expect(fleet.receipt(id, 2).warnings).toEqual([])
      expect(fleet.exists(id, 'task.json.refused')).toBe(false)
    }
  })

  test('that deletes it, or writes invalid JSON, holds up no later attempt', async () => {
    const fleet = testFleet({ config: ['max_attempts=2'] })
    const [gone, nonsense] = ['rm task.json', 'echo nonsense >task.json; chmod 500 .'].map((script) =>
      fleet.create(script, [[init, sh(script), result()], healthy('x.txt')]),
    )
    await fleet.start()
    for (const id of [gone, nonsense] as string[]) {
      await fleet.settled(id, 'closed')
      expect(taskFile(fleet, id)).toMatchObject({ id })
    }
    expect(fleet.receipt(gone as string).warnings).toEqual([])
    expect(fleet.text(nonsense as string, 'task.json.refused')).toBe('nonsense\n')
  })
})

describe('a person changes task.json', () => {
  test('between two attempts, and the next attempt uses it', async () => {
    const fleet = testFleet({ config: ['max_attempts=1'] })
    const id = fleet.create('Fails', [init, result()])
    await fleet.start()
    await fleet.settled(id, 'blocked')
    await agentsGone(fleet)
    writeFileSync(place(fleet, id), JSON.stringify({ ...taskFile(fleet, id), ...EASY }))
    chmodSync(place(fleet, id), 0o644)
    expect(fleet.fleet('retry', id).code).toBe(0)
    await fleet.settled(id, 'closed')
    expect(coders(fleet, id)).toEqual(['claude', 'shell'])
    expect(fleet.receipt(id, 2).warnings).toEqual([])
  })

  test('through `fleet bd update` during a run, and it does not count as an edit by the agent', async () => {
    const fleet = testFleet({ config: ['max_attempts=1'] })
    const id = fleet.create('Waits', [init, { touch: '../began' }, { waitFor: '../go' }, claims(), result()])
    await fleet.start()
    await until(fleet, 'began')
    const updated = fleet.fleet('bd', 'update', id, '--model', 'opus', '--title', 'Another')
    expect(updated).toMatchObject({ code: 0, stderr: '' })
    fleet.touch('go')
    await fleet.settled(id, 'blocked')
    expect(taskFile(fleet, id)).toMatchObject({ model: 'opus', title: 'Another' })
    expect(fleet.receipt(id).warnings).toEqual([])
    expect(fleet.exists(id, 'task.json.refused')).toBe(false)
  })
})

/** A run is settled before fleet has made sure that nothing of it is left that could write to the home. */
async function agentsGone(fleet: Fleet): Promise<void> {
  using db = new Database(join(fleet.home.path, 'fleet.db'), { readOnly: true })
  const record = new HomeRecord(db)
  await expect.poll(() => record.isOpen(), { timeout: 40_000 }).toBe(false)
  // File systems stamp a change with the time of the last tick, which may lie before that moment.
  await delay(50)
}

async function until(fleet: Fleet, name: string): Promise<void> {
  await expect
    .poll(() => statSync(join(fleet.home.project, name), { throwIfNoEntry: false }), { timeout: 40_000 })
    .toBeDefined()
}
