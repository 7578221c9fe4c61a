import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type TestHome, testHome } from '../support/cli.ts'
import { created } from '../support/tasks.ts'

const HOSTILE = 'red \u001b[31malert\u001b[0m \u001b]0;owned\u0007 \u202eback\nsecond line'

/** The parts of HOSTILE that a terminal would obey. */
function rawIn(text: string): string[] {
  return ['\u001b', '\u0007', '\u202e'].filter((char) => text.includes(char))
}

function imported(home: TestHome, tasks: readonly Record<string, unknown>[]): void {
  const at = '2026-01-01T00:00:00Z'
  const lines = tasks.map((task) =>
    JSON.stringify({ status: 'open', priority: 2, created_at: at, updated_at: at, ...task }),
  )
  expect(home.bd(['import', '-'], { input: `${lines.join('\n')}\n` })).toMatchObject({ code: 0 })
}

describe('text from others', () => {
  test.each([
    ['list'],
    ['list', '--flat'],
    ['list', '--flat', '--long'],
    ['ready'],
    ['ready', '--plain'],
    ['search', 'red'],
    ['query', 'title=red'],
    ['query', 'title=red', '--long'],
    ['stale'],
    ['children', 'fleet-epic'],
    ['epic', 'status'],
    ['history', 'fleet-bad'],
    ['show', 'fleet-bad', '--long'],
  ])('never reaches a terminal raw: %s %s', (...argv) => {
    const home = testHome()
    imported(home, [
      {
        id: 'fleet-bad',
        title: HOSTILE,
        description: HOSTILE,
        assignee: HOSTILE,
        labels: [HOSTILE],
        close_reason: HOSTILE,
        metadata: { a: HOSTILE },
        dependencies: [{ issue_id: 'fleet-bad', depends_on_id: 'fleet-epic', type: 'parent-child' }],
      },
      { id: 'fleet-epic', title: HOSTILE, issue_type: 'epic' },
    ])
    const { code, stdout } = home.bd(argv.filter((word) => word !== undefined))
    expect(code).toBe(0)
    expect(stdout).toContain('alert')
    expect(rawIn(stdout)).toEqual([])
  })

  test('is whole but escaped in JSON', () => {
    const home = testHome()
    imported(home, [{ id: 'fleet-bad', title: HOSTILE }])
    const { stdout } = home.bd(['show', 'fleet-bad', '--json'])
    expect(rawIn(stdout)).toEqual([])
    expect(JSON.parse(stdout)[0].title).toBe(HOSTILE)
  })

  test('stays on one line where one task is one line', () => {
    const home = testHome()
    imported(home, [{ id: 'fleet-two', title: 'first\nsecond\r\nthird' }])
    expect(home.bd(['list', '--flat']).stdout).toBe('○ fleet-two [P2] [task] - first second third\n')
  })
})

describe('an id that matches no single task', () => {
  test('gets the nearest ids as a hint', () => {
    const home = testHome()
    imported(home, [
      { id: 'fleet-a1b', title: 'One' },
      { id: 'fleet-zzz', title: 'Other' },
    ])
    expect(home.bd(['show', 'fleet-a1c'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Issue fleet-a1c not found\nHint: did you mean fleet-a1b?\n',
    })
  })

  test('gets no hint from the prefix that all ids share', () => {
    const home = testHome()
    imported(home, [{ id: 'fleet-a1b', title: 'One' }])
    expect(home.bd(['show', 'fleet-xyz']).stderr).toBe(
      'Issue fleet-xyz not found\nHint: fleet bd list --all shows every issue\n',
    )
  })

  test('lists the tasks it is a prefix of', () => {
    const home = testHome()
    imported(home, [
      { id: 'fleet-a1b', title: 'One' },
      { id: 'fleet-a1c', title: 'Two' },
    ])
    expect(home.bd(['show', 'a1'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Error fetching a1: ambiguous issue ID: "a1" matches 2 issues: [fleet-a1b fleet-a1c]\nUse more characters to disambiguate\n',
    })
  })

  test.each([['../../etc/passwd'], ['--', '--all'], ['fleet-a1b\u001b[31m'], ['']])(
    'is unknown if it is a path, a flag or nonsense: %j %j',
    (...ids) => {
      const { code, stdout, stderr } = testHome().bd(['show', ...ids.filter((id) => id !== undefined)])
      expect(code).toBe(1)
      expect(stdout).toBe('')
      expect(stderr).toContain('not found')
      expect(stderr).not.toContain('\u001b')
    },
  )
})

describe('what fleet refuses from bd', () => {
  test.each([
    [['list', '--watch'], 'bd list --watch is not served by fleet'],
    [['list', '--format', 'dot'], 'bd list --format dot is not served by fleet'],
    [['show', 'x', '--as-of', 'main'], 'bd show --as-of is not served by fleet'],
    [['ready', '--explain'], 'bd ready --explain is not served by fleet'],
  ])('%j says what to do instead and exits 8', (argv, message) => {
    const { code, stdout, stderr } = testHome().bd(argv)
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain('Hint: ')
  })
})

describe('ready --claim', () => {
  test('hands out priority first, then the oldest, each once, and never an epic', () => {
    const home = testHome()
    imported(home, [
      { id: 'fleet-new', title: 'New', created_at: '2026-01-02T00:00:00Z' },
      { id: 'fleet-old', title: 'Old' },
      { id: 'fleet-top', title: 'Urgent', priority: 0, created_at: '2026-01-03T00:00:00Z' },
      { id: 'fleet-epic', title: 'All of it', priority: 0, issue_type: 'epic' },
    ])
    const claims = Array.from({ length: 4 }, () => JSON.parse(home.bd(['ready', '--claim', '--json']).stdout)[0]?.id)
    expect(claims).toEqual(['fleet-top', 'fleet-old', 'fleet-new', undefined])
  })

  test('applies what a person changed in task.json', () => {
    const home = testHome()
    const id = created(home, 'Do it')
    const other = join(home.project, 'elsewhere')
    mkdirSync(other)
    const file = join(home.path, 'tasks', id, 'task.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), cwd: other, coder: 'codex' }))
    expect(home.bd(['ready', '--claim']).stdout).toBe(`✓ Claimed issue: ${id} — Do it\n`)
    expect(JSON.parse(home.fleet(['show', id, '--json']).stdout).fleet).toMatchObject({ cwd: other, coder: 'codex' })
  })

  test('claims nothing if an edit of task.json is invalid', () => {
    const home = testHome()
    const id = created(home, 'Do it')
    const file = join(home.path, 'tasks', id, 'task.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), coder: 'nobody' }))
    const { code, stderr } = home.bd(['ready', '--claim'])
    expect(code).toBe(1)
    expect(stderr).toContain('unknown coder "nobody"')
    expect(JSON.parse(home.bd(['show', id, '--json']).stdout)[0].status).toBe('open')
  })

  test('is refused in read-only mode', () => {
    const home = testHome()
    const id = created(home, 'Do it')
    expect(home.bd(['ready', '--claim', '--readonly']).code).toBe(1)
    expect(JSON.parse(home.bd(['show', id, '--json']).stdout)[0].status).toBe('open')
  })
})

test('version names the language level and fleet itself', () => {
  const home = testHome()
  expect(home.bd(['version']).stdout).toMatch(/^bd version 1\.3\.0 \(fleet \d+\.\d+\.\d+.*\)\n$/)
  expect(JSON.parse(home.bd(['version', '--json']).stdout)).toMatchObject({
    version: '1.3.0',
    build: expect.stringMatching(/^fleet \d/),
  })
})

test('a list that is piped is never cut off', () => {
  const home = testHome()
  imported(
    home,
    Array.from({ length: 120 }, (_, i) => ({ id: `fleet-t${i}`, title: `Task ${i}` })),
  )
  expect(JSON.parse(home.bd(['list', '--json']).stdout)).toHaveLength(120)
  expect(home.bd(['list']).stdout).toContain('Total: 120 issues (120 open, 0 in progress)')
})
