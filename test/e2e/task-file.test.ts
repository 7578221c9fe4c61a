import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLocalQueue } from '../../src/app.ts'
import { Home } from '../../src/platform/files/home.ts'
import { FLEET, runBeside, type TestHome, testHome } from '../support/cli.ts'
import { created, settingsOn, unchanged } from '../support/tasks.ts'

const taskFile = (home: TestHome, id: string) => join(home.path, 'tasks', id, 'task.json')
const readTaskFile = (home: TestHome, id: string) => JSON.parse(readFileSync(taskFile(home, id), 'utf8'))

describe('task.json', () => {
  test("shows the user's settings, readable only by its owner", () => {
    const home = testHome()
    const id = created(home, 'a task', '--model', 'opus')
    const { written, ...content } = readTaskFile(home, id)
    expect(content).toEqual({ v: 2, id, title: 'a task', cwd: realpathSync(home.project), model: 'opus' })
    expect(written).toMatch(/^[0-9a-f]{16}$/)
    expect(statSync(taskFile(home, id)).mode & 0o777).toBe(0o600)
    expect(statSync(join(home.path, 'tasks', id)).mode & 0o777).toBe(0o700)
  })

  test('follows update, and an empty value removes a setting', () => {
    const home = testHome()
    const id = created(home, 'a', '--coder', 'claude', '--model', 'opus')
    expect(home.bd(['update', id, '--title', 'b', '--coder', 'gemini', '--model', ''])).toMatchObject({ code: 0 })
    expect(readTaskFile(home, id)).toMatchObject({ title: 'b', coder: 'gemini' })
    expect(readTaskFile(home, id)).not.toHaveProperty('model')
    expect(settingsOn(home, id)).toEqual({ cwd: realpathSync(home.project), coder: 'gemini' })
  })

  test('stays as it is if update refuses a value, as create does', () => {
    const home = testHome()
    const id = created(home, 'a')
    unchanged(home, () => {
      expect(home.bd(['update', id, '--coder', 'nobody', '-p', '0']).code).toBe(1)
      expect(home.bd(['update', id, '--cwd', '/none/there', '-p', '0']).code).toBe(1)
    })
  })

  test("is deleted with its task, but an agent's files stay", () => {
    const home = testHome()
    const [a, b] = [created(home, 'a'), created(home, 'b')]
    writeFileSync(join(home.path, 'tasks', b, 'kept.md'), 'work')
    expect(home.bd(['delete', a, b, '--force']).code).toBe(0)
    expect(readdirSync(join(home.path, 'tasks'))).toEqual([b])
    expect(readdirSync(join(home.path, 'tasks', b))).toEqual(['kept.md'])
  })

  test('in an unedited file of version 1, old settings do not come back', () => {
    const home = testHome()
    const id = created(home, 'a', '--model', 'new')
    const cwd = realpathSync(home.project)
    const written = hash('sha256', JSON.stringify([cwd, '', 'old'])).slice(0, 16)
    writeFileSync(taskFile(home, id), JSON.stringify({ v: 1, id, title: 'a', cwd, model: 'old', written }))
    expect(home.bd(['update', id, '--claim'])).toMatchObject({ code: 0, stderr: '' })
    expect(settingsOn(home, id)).toEqual({ cwd, model: 'new' })
    expect(readTaskFile(home, id)).toMatchObject({ v: 2, model: 'new' })
  })

  test('is read at the next claim, and hand edits go into the history', async () => {
    const home = testHome()
    const id = created(home, 'a', '--model', 'opus')
    mkdirSync(join(home.project, 'sub'))
    const cwd = join(realpathSync(home.project), 'sub')
    const { model: _model, ...rest } = readTaskFile(home, id)
    writeFileSync(taskFile(home, id), JSON.stringify({ ...rest, cwd, coder: 'codex', title: 'not taken' }))
    expect(settingsOn(home, id)).toEqual({ cwd: realpathSync(home.project), model: 'opus' })
    expect(home.bd(['update', id, '--claim'])).toMatchObject({ code: 0, stderr: '' })
    expect(settingsOn(home, id)).toEqual({ cwd, coder: 'codex' })
    expect(readTaskFile(home, id)).toMatchObject({ title: 'a', cwd, coder: 'codex' })
    await using store = openLocalQueue(new Home(home.path), { readOnly: true })
    const fleet = (settings: object) => ({ fleet: settings })
    expect((await store.history(id)).map(({ kind, actor, changes }) => ({ kind, actor, ...changes }))).toEqual([
      { kind: 'created', actor: 'tester' },
      {
        kind: 'updated',
        actor: 'tester',
        metadata: [fleet({ cwd: realpathSync(home.project), model: 'opus' }), fleet({ cwd, coder: 'codex' })],
      },
      expect.objectContaining({ kind: 'claimed', actor: 'tester' }),
    ])
  })

  test('is also read when the claim itself picks the task', () => {
    const home = testHome()
    const [a, b] = [created(home, 'a'), created(home, 'b', '-p', '3')]
    writeFileSync(taskFile(home, b), JSON.stringify({ ...readTaskFile(home, b), coder: 'shell' }))
    expect(home.bd(['close', a, '--claim-next']).code).toBe(0)
    expect(settingsOn(home, b)).toMatchObject({ coder: 'shell' })
  })

  test.each([[['ready', '--claim']], [['ready', '--claim', '--json']]])(
    'stops %j if a hand edit of the next task is invalid',
    (argv) => {
      const home = testHome()
      const [a] = [created(home, 'a'), created(home, 'b', '-p', '3')]
      writeFileSync(taskFile(home, a), JSON.stringify({ ...readTaskFile(home, a), coder: 'nobody' }))
      unchanged(home, () => {
        const ran = home.bd(argv)
        expect(ran).toMatchObject({ code: 1, stdout: '' })
        const said = argv.includes('--json') ? JSON.parse(ran.stderr).error : ran.stderr
        expect(said).toContain(`${taskFile(home, a)}: unknown coder "nobody"`)
      })
    },
  )

  test('one person in several windows never claims the same next task twice', async () => {
    const home = testHome()
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map((title) => created(home, title))
    const claim = () =>
      runBeside(process.execPath, [FLEET, 'bd', 'ready', '--claim', '--json'], { env: { FLEET_HOME: home.path } })
    const ran = await Promise.all(ids.map(claim))
    expect(ran.map(({ stdout }) => JSON.parse(stdout)[0].id).sort()).toEqual(ids.sort())
  })

  test('with an invalid edit of the next task does not undo the closing before it', () => {
    const home = testHome()
    const [a, b] = [created(home, 'a'), created(home, 'b', '-p', '3')]
    writeFileSync(taskFile(home, b), JSON.stringify({ ...readTaskFile(home, b), coder: 'nobody' }))
    const ran = home.bd(['close', a, '--claim-next', '--json'])
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: a, status: 'closed' }])
    expect(ran.stderr).toContain(`Error claiming ${b}: ${taskFile(home, b)}: unknown coder "nobody"`)
  })

  test.each([
    ['an unknown coder', { coder: 'nobody' }, 'unknown coder "nobody"; known coders: claude'],
    ['a directory that does not exist', { cwd: '/none/there' }, 'cwd /none/there does not exist'],
    ['a relative directory', { cwd: 'sub' }, 'has cwd "sub", expected an absolute path'],
    ['a value of the wrong type', { model: 5 }, 'has model 5, expected a string'],
  ])('stops the claim if edited to %s, and nothing changes', (_what, edit, message) => {
    const home = testHome()
    const id = created(home, 'a')
    const edited = JSON.stringify({ ...readTaskFile(home, id), ...edit })
    writeFileSync(taskFile(home, id), edited)
    unchanged(home, () => {
      const ran = home.bd(['update', id, '--claim'])
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toContain(taskFile(home, id))
      expect(ran.stderr).toContain(message)
    })
    expect(readFileSync(taskFile(home, id), 'utf8')).toBe(edited)
  })

  test('stops the claim if it is not JSON, and is left as it is', () => {
    const home = testHome()
    const id = created(home, 'a')
    writeFileSync(taskFile(home, id), '{ "cwd": ')
    unchanged(home, () => {
      const ran = home.bd(['update', id, '--claim'])
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toContain(`${taskFile(home, id)} is not JSON`)
    })
    expect(readFileSync(taskFile(home, id), 'utf8')).toBe('{ "cwd": ')
  })

  test('is rewritten if stale or missing, and changes no setting', () => {
    const home = testHome()
    const id = created(home, 'a')
    const stale = readFileSync(taskFile(home, id))
    expect(home.bd(['update', id, '--coder', 'claude']).code).toBe(0)
    writeFileSync(taskFile(home, id), stale)
    expect(home.bd(['update', id, '--claim']).code).toBe(0)
    expect(settingsOn(home, id)).toMatchObject({ coder: 'claude' })
    expect(readTaskFile(home, id)).toMatchObject({ coder: 'claude' })
    rmSync(join(home.path, 'tasks', id), { recursive: true })
    expect(home.bd(['update', id, '--claim']).code).toBe(0)
    expect(readTaskFile(home, id)).toMatchObject({ coder: 'claude' })
  })

  test('that cannot be written is a warning: the task is created all the same', () => {
    const home = testHome()
    rmSync(join(home.path, 'tasks'), { recursive: true })
    writeFileSync(join(home.path, 'tasks'), 'a file where the folder should be')
    const ran = home.bd(['create', 'a', '--silent'])
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^fleet-\w+\n$/) })
    expect(ran.stderr).toContain('task.json was not written')
  })
})
