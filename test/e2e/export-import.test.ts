import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'

const GOOD = '{"id":"fleet-aaa","title":"Good"}'

describe('fleet bd export', () => {
  test('exports the same bytes after an import into an empty home', () => {
    const [one, two] = [testHome(), testHome()]
    const child =
      '{"issue_id":"fleet-aaa.1","depends_on_id":"fleet-aaa","type":"parent-child","created_at":"2026-03-01T10:00:00Z"}'
    const lines = [
      `{"id":"fleet-aaa","title":"A <b> & \\"c\\" \\u2028 \\u202e \\u001b[31m é 🎈","labels":["b","a"],"unknown":[1,{"x":null}]}`,
      `{"id":"fleet-aaa.1","title":"B","dependencies":[${child}],"comments":[{"author":"x","text":"t\\n"}]}`,
    ]
    expect(one.bd(['import', '-'], { input: lines.join('\n') })).toMatchObject({ code: 0 })
    const first = one.bd(['export']).stdout
    expect(two.bd(['import', '-'], { input: first })).toMatchObject({ code: 0 })
    expect(two.bd(['export']).stdout).toBe(first)
    expect(two.bd(['import', '-'], { input: first }).stderr).toBe('Imported 2 issues from stdin\n')
    expect(two.bd(['export']).stdout).toBe(first)
  })

  test('writes no terminal escapes raw', () => {
    const home = testHome()
    home.bd(['import', '-'], { input: '{"title":"\\u001b]0;x\\u0007 \\u009b31m \\u202e"}' })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test asserts that there is none
    expect(home.bd(['export']).stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  test('replaces a file whole, or not at all', () => {
    const home = testHome()
    home.bd(['import', '-'], { input: GOOD })
    expect(home.bd(['export', '-o', 'out.jsonl'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Exported 1 issues to out.jsonl\n',
    })
    const before = readFileSync(join(home.project, 'out.jsonl'), 'utf8')
    expect(JSON.parse(before)).toMatchObject({ _type: 'issue', id: 'fleet-aaa', title: 'Good', priority: 0 })
    expect(readdirSync(home.project)).toEqual(['out.jsonl'])
    expect(home.bd(['export', '-o', 'nowhere/out.jsonl'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: ${join(realpathSync(home.project), 'nowhere/out.jsonl')} cannot be written: its folder does not exist\nHint: make the folder first\n`,
    })
  })

  test('never overwrites a folder or a device', () => {
    const home = testHome()
    mkdirSync(join(home.project, 'folder'))
    for (const path of ['folder', '/dev/null']) {
      const stderr = `Error: ${resolve(realpathSync(home.project), path)} is not a file\n`
      expect(home.bd(['export', '-o', path])).toMatchObject({ code: 1, stderr })
    }
    expect(existsSync('/dev/null')).toBe(true)
  })

  test('keeps the permissions of an existing file, and keeps a link', () => {
    const home = testHome()
    home.bd(['create', 'a'])
    const [target, link] = [join(home.project, 'target.jsonl'), join(home.project, 'link.jsonl')]
    writeFileSync(target, 'old')
    chmodSync(target, 0o640)
    symlinkSync('target.jsonl', link)
    expect(home.bd(['export', '-o', link])).toMatchObject({ code: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(statSync(target).mode & 0o777).toBe(0o640)
    expect(readFileSync(target, 'utf8')).toBe(home.bd(['export']).stdout)
    expect(readdirSync(home.project).sort()).toEqual(['link.jsonl', 'target.jsonl'])
  })

  test.each([
    ['fleet.db', 'the store of this home'],
    ['fleet.db-wal', 'the store of this home'],
    ['fleet.db-shm', 'the store of this home'],
    ['runtime.toml', 'the configuration of this home'],
    ['backups/mine.jsonl', 'in the backups of this home'],
  ])('never overwrites %s, not even through a link', (name, what) => {
    const home = testHome()
    home.bd(['create', 'a'])
    const before = home.bd(['export']).stdout
    const [file, link, around] = [join(home.path, name), join(home.project, 'link'), join(home.project, 'around')]
    symlinkSync(file, link)
    symlinkSync(home.path, around)
    for (const path of [file, link, join(around, name)]) {
      const stderr = `Error: ${path} is ${what}\nHint: nothing was written; name another file\n`
      expect(home.bd(['export', '-o', path])).toEqual({ code: 1, stdout: '', stderr })
    }
    expect(home.bd(['export']).stdout).toBe(before)
  })
})

describe('fleet bd import of a wrong file', () => {
  test.each([
    ['bad', 'line 2: not JSON'],
    ['{"title":""}', 'line 2: title is required'],
    ['{"id":"../../etc","title":"x"}', 'line 2: "../../etc" is not a usable id'],
    ['{"id":"--all","title":"x"}', 'line 2: "--all" is not a usable id'],
    ['{"id":"fleet-b","title":"a\\u0000b"}', 'line 2: title: contains a NUL character'],
    [
      '{"id":"fleet-b","title":"x","due_at":"9999-12-31T23:59:59-12:00"}',
      'line 2: due_at: expected a time in the years 0001 to 9999, found "9999-12-31T23:59:59-12:00"',
    ],
    ['{"id":"fleet-b","title":"x","due_at":"2026-01-01T24:00:00Z"}', 'line 2: due_at: expected a time such as'],
    ['{"id":"fleet-b","title":"x","updated_at":5}', 'line 2: updated_at: expected a string, found 5'],
  ])('%s is reported with its line, and nothing is imported', (line, why) => {
    const home = testHome()
    const ran = home.bd(['import', 'tasks.jsonl'], file(home.project, `${GOOD}\n${line}\n`))
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('import failed, nothing was imported from tasks.jsonl:')
    expect(ran.stderr).toContain(why)
    expect(home.bd(['export']).stdout).toBe('')
  })

  test('nesting that would exhaust the stack is reported with its line, and nothing is imported', () => {
    const home = testHome()
    const nested = `{"id":"fleet-b","title":"x","metadata":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`
    const ran = home.bd(['import', 'tasks.jsonl'], file(home.project, `${GOOD}\n${nested}\n`))
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toBe(
      'Error: import failed, nothing was imported from tasks.jsonl:\n  line 2: nested more than 100 levels deep\n',
    )
    const metadata = `{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`
    expect(home.bd(['create', 'x', '--metadata', metadata])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Error: --metadata is nested more than 100 levels deep\n',
    })
    expect(home.bd(['export']).stdout).toBe('')
  })

  test('bytes that are not UTF-8 are refused, and nothing is written', () => {
    const home = testHome()
    const bytes = Buffer.concat([Buffer.from(`${GOOD}\n{"title":"b`), Buffer.from([0xff]), Buffer.from('"}\n')])
    writeFileSync(join(home.project, 'bad.jsonl'), bytes)
    expect(home.bd(['import', 'bad.jsonl'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Error: cannot read bad.jsonl: line 2 is not UTF-8 text\n'),
    })
    expect(home.bd(['create', 'x', '--body-file', 'bad.jsonl'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('open bad.jsonl: line 2 is not UTF-8 text\n'),
    })
    expect(home.bd(['export']).stdout).toBe('')
  })

  test('a byte order mark at the start of the file is skipped', () => {
    const home = testHome()
    expect(home.bd(['import', 'tasks.jsonl'], file(home.project, `\ufeff${GOOD}\n`)).code).toBe(0)
    expect(home.bd(['export']).stdout).not.toBe('')
  })

  test('a time that the store cannot represent is refused, and nothing is created', () => {
    const home = testHome()
    for (const moment of ['+9000y', '0000-01-01', '2026-01-01T10:61:00', 'mayor banana']) {
      expect(home.bd(['create', 'far', '--defer', moment])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`invalid --defer format "${moment}"`),
      })
    }
    expect(home.bd(['export']).stdout).toBe('')
  })

  test('a line older than the existing task is skipped, with its labels and comments', () => {
    const home = testHome()
    const line = (fields: object) => JSON.stringify({ id: 'fleet-s', title: 'x', priority: 2, ...fields })
    home.bd(['import', '-'], { input: line({ updated_at: '2026-02-01T00:00:00Z' }) })
    const before = home.bd(['export']).stdout
    const comments = [{ author: 'a', text: 'late', created_at: '2026-01-01T00:00:00Z' }]
    const old = line({ updated_at: '2026-01-01T00:00:00Z', labels: ['z'], comments })
    expect(home.bd(['import', '-'], { input: old }).stderr).toContain('1 stale skipped')
    expect(home.bd(['export']).stdout).toBe(before)
  })

  test('with --json the error is an object on stdout', () => {
    const home = testHome()
    const ran = home.bd(['import', '-', '--json'], { input: 'bad' })
    expect(ran).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: expect.stringContaining('line 1'), schema_version: 1 })
  })

  test('a folder, a missing file and a missing argument get different messages', () => {
    const home = testHome()
    expect(home.bd(['import', '.']).stderr).toBe('Error: cannot read .: is a directory\n')
    expect(home.bd(['import', 'no.jsonl']).stderr).toContain('cannot read no.jsonl')
    expect(home.bd(['import']).stderr).toContain('no file to import')
  })

  test('flags that would skip the check for cycles are refused with exit 8', () => {
    const home = testHome()
    expect(home.bd(['dep', 'add', 'a', 'b', '--no-cycle-check'])).toMatchObject({ code: 8 })
  })
})

function file(folder: string, content: string): { cwd: string } {
  writeFileSync(join(folder, 'tasks.jsonl'), content)
  return { cwd: folder }
}
