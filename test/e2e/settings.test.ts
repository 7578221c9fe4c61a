import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type TestHome, testHome } from '../support/cli.ts'

const taskFile = (home: TestHome, id: string) => join(home.path, 'tasks', id, 'task.json')
const readTaskFile = (home: TestHome, id: string) => JSON.parse(readFileSync(taskFile(home, id), 'utf8'))
const task = (home: TestHome, id: string) => JSON.parse(home.bd(['show', id, '--json']).stdout)[0]
const made = (home: TestHome, ...argv: string[]) => home.bd(['q', 'a task', ...argv]).stdout.trim()

function edit(home: TestHome, id: string, change: object): string {
  const text = JSON.stringify({ ...readTaskFile(home, id), ...change })
  writeFileSync(taskFile(home, id), text)
  return text
}

/** Runs a command that must be refused and must leave the store unchanged. */
function refused(home: TestHome, argv: readonly string[]): string {
  const before = home.bd(['export']).stdout
  const ran = home.bd(argv)
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(home.bd(['export']).stdout).toBe(before)
  return ran.stderr
}

describe('a hand edit of task.json', () => {
  test.each([
    ['the title', ['--title', 'new'], {}],
    ['other metadata', ['--set-metadata', 'team=web'], {}],
    ['another setting', ['--coder', 'codex'], { coder: 'codex' }],
  ])('survives an update of %s', (_what, flags, more) => {
    const home = testHome()
    const id = made(home)
    edit(home, id, { model: 'opus' })
    expect(home.bd(['update', id, ...flags])).toMatchObject({ code: 0, stderr: '' })
    const kept = { cwd: realpathSync(home.project), model: 'opus', ...more }
    expect(task(home, id).metadata.fleet).toEqual(kept)
    expect(readTaskFile(home, id)).toMatchObject(kept)
  })

  test('yields to the same setting in a flag', () => {
    const home = testHome()
    const id = made(home)
    edit(home, id, { model: 'opus' })
    expect(home.bd(['update', id, '--model', 'haiku']).code).toBe(0)
    expect(task(home, id).metadata.fleet).toMatchObject({ model: 'haiku' })
    expect(readTaskFile(home, id)).toMatchObject({ model: 'haiku' })
  })

  test('that is invalid stops the update, and stays in the file', () => {
    const home = testHome()
    const id = made(home)
    const text = edit(home, id, { coder: 'nobody' })
    const stderr = refused(home, ['update', id, '--title', 'new'])
    expect(stderr).toContain(`Error updating ${id}: ${taskFile(home, id)}: unknown coder "nobody"`)
    expect(readFileSync(taskFile(home, id), 'utf8')).toBe(text)
  })

  test('may begin with a byte order mark', () => {
    const home = testHome()
    const id = made(home)
    writeFileSync(taskFile(home, id), `\ufeff${edit(home, id, { model: 'opus' })}`)
    expect(home.bd(['update', id, '--claim'])).toMatchObject({ code: 0, stderr: '' })
    expect(task(home, id).metadata.fleet).toMatchObject({ model: 'opus' })
  })

  test('is no obstacle if no task.json can exist: update only warns', () => {
    const home = testHome()
    const id = made(home)
    rmSync(join(home.path, 'tasks'), { recursive: true })
    writeFileSync(join(home.path, 'tasks'), 'a file where the folder should be')
    const ran = home.bd(['update', id, '--title', 'new'])
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('task.json was not written')
    expect(task(home, id).title).toBe('new')
  })
})

describe('--metadata', () => {
  const BAD: [string, unknown, string][] = [
    ['an unknown coder', { coder: 'nope' }, 'unknown coder "nope"'],
    ['a directory that does not exist', { cwd: 'relative' }, 'does not exist'],
    ['a value that is no text', { model: 5 }, '--metadata has fleet.model 5, expected a string'],
    ['settings that are no object', 5, '--metadata has fleet 5, expected an object'],
    ['a line break', { model: 'a\nb' }, 'model "a\\nb" has a line break or control character in it'],
  ]

  test.each(BAD)('is refused by create and update with %s for fleet', (_what, fleet, message) => {
    const home = testHome()
    const id = made(home)
    const metadata = ['--metadata', JSON.stringify({ fleet })]
    expect(refused(home, ['update', id, ...metadata])).toContain(message)
    expect(refused(home, ['create', 'x', ...metadata])).toContain(message)
  })

  test('sets what it names and keeps the other settings', () => {
    const home = testHome()
    mkdirSync(join(home.project, 'sub'))
    const cwd = realpathSync(home.project)
    const id = made(home, '--coder', 'codex')
    const metadata = JSON.stringify({ team: 'web', fleet: { model: 'o9', later: 1 } })
    expect(home.bd(['update', id, '--metadata', metadata]).code).toBe(0)
    expect(task(home, id).metadata).toEqual({ team: 'web', fleet: { cwd, coder: 'codex', model: 'o9', later: 1 } })
    const given = JSON.stringify({ fleet: { cwd: 'sub', coder: 'codex', model: 'x' } })
    const created = home.bd(['create', 'y', '--silent', '--metadata', given, '--coder', 'gemini']).stdout.trim()
    expect(task(home, created).metadata.fleet).toEqual({ cwd: join(cwd, 'sub'), coder: 'gemini', model: 'x' })
  })

  test.each([
    ['--set-metadata', 'fleet=5'],
    ['--unset-metadata', 'fleet'],
  ])('%s %s is refused', (flag, value) => {
    const home = testHome()
    const stderr = refused(home, ['update', made(home), flag, value])
    expect(stderr).toContain('metadata key "fleet" holds the settings of the task: cwd, coder, model, command')
    expect(stderr).toContain('use --cwd, --coder, --model, --command, --on, --isolation')
  })

  test('that was imported with invalid settings is kept and never used', () => {
    const home = testHome()
    const fleet = { cwd: 'relative', coder: 'a\u0007', model: 'opus\nfleet-xyz  forged' }
    const line = JSON.stringify({ id: 'fleet-aaa', title: 'A', metadata: { fleet } })
    expect(home.bd(['import', '-'], { input: line }).code).toBe(0)
    expect(task(home, 'fleet-aaa').metadata.fleet).toEqual(fleet)
    expect(home.fleet(['ready']).stdout).toBe('fleet-aaa  A\n')
    expect(home.bd(['update', 'fleet-aaa', '--claim']).code).toBe(0)
    expect(Object.keys(readTaskFile(home, 'fleet-aaa'))).toEqual(['v', 'id', 'title', 'written'])
  })
})

describe('--coder', () => {
  test('accepts a configured coder, in a flag and in task.json', () => {
    const home = testHome()
    expect(home.fleet(['config', 'set', 'coders.mine.command=["m"]']).code).toBe(0)
    const id = made(home, '--coder', 'mine')
    expect(task(home, id).metadata.fleet).toMatchObject({ coder: 'mine' })
    const other = made(home)
    edit(home, other, { coder: 'mine' })
    expect(home.bd(['update', other, '--claim'])).toMatchObject({ code: 0, stderr: '' })
    expect(task(home, other).metadata.fleet).toMatchObject({ coder: 'mine' })
    expect(refused(home, ['create', 'x', '--coder', 'mime'])).toBe(
      'Error: unknown coder "mime"; known coders: claude, codex, agy, opencode, gemini, shell, mine\nHint: did you mean mine?\n',
    )
  })

  test('reports an invalid configuration only if the configuration is needed', () => {
    const home = testHome()
    writeFileSync(join(home.path, 'runtime.toml'), 'coder = \n')
    const before = home.bd(['export']).stdout
    const ran = home.bd(['create', 'x', '--coder', 'mine'])
    expect(ran.code).not.toBe(0)
    expect(ran.stderr).toContain('runtime.toml: line 1')
    expect(home.bd(['export']).stdout).toBe(before)
    expect(home.bd(['create', 'x', '--coder', 'claude']).code).toBe(0)
  })

  test.each(['--coder', '--model'])('with a line break is refused, like --model: %s', (flag) => {
    const home = testHome()
    const message = 'has a line break or control character in it'
    expect(refused(home, ['create', 'x', flag, 'a\nb'])).toContain(message)
    expect(refused(home, ['update', made(home), flag, 'a\u001b[31m'])).toContain(message)
  })
})

describe('--parent', () => {
  test.each([['q'], ['create', '--silent']])('of %s accepts a short id', (...command) => {
    const home = testHome()
    const id = made(home)
    const ran = home.bd([...command, 'child', '--parent', id.slice('fleet-'.length)])
    expect(ran).toEqual({ code: 0, stdout: `${id}.1\n`, stderr: '' })
  })

  test.each(['q', 'create'])('of %s offers the nearest ids for an unknown one', (command) => {
    const home = testHome()
    home.bd(['create', 'x', '--id', 'fleet-abc'])
    expect(refused(home, [command, 'child', '--parent', 'fleet-abd'])).toBe(
      'Error: parent issue fleet-abd not found\nHint: did you mean fleet-abc?\n',
    )
  })
})

test('the system names the actor if the environment does not', () => {
  const home = testHome()
  const id = home.bd(['q', 'x'], { env: { USER: '', LOGNAME: '' } }).stdout.trim()
  expect(task(home, id).created_by).toBe(userInfo().username)
})
