import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testHome } from '../support/cli.ts'
import { created, settingsOn, unchanged } from '../support/tasks.ts'

describe('create', () => {
  test('remembers the directory it was called in, and says so', () => {
    const home = testHome()
    const ran = home.bd(['create', 'Fix the login'])
    const id = /^Created (fleet-[a-z0-9]+): /.exec(ran.stdout)?.[1] ?? ''
    const cwd = realpathSync(home.project)
    expect(ran).toEqual({ code: 0, stdout: `Created ${id}: Fix the login  [cwd: ${cwd}]\n`, stderr: '' })
    expect(settingsOn(home, id)).toEqual({ cwd })
  })

  test('new and q remember it too', () => {
    const home = testHome()
    const cwd = realpathSync(home.project)
    const id = home.bd(['q', 'in', 'words']).stdout.trim()
    expect(id).toMatch(/^fleet-[a-z0-9]{3}$/)
    expect(settingsOn(home, id)).toEqual({ cwd })
    const ran = home.bd(['new', 'other', '--coder', 'codex', '--model', 'o9'])
    expect(ran.stdout).toMatch(/^Created fleet-\w+: other {2}\[cwd: .*, coder: codex, model: o9\]\n$/)
  })

  test('accepts another directory: relative, below ~, or with dots in it', () => {
    const home = testHome()
    const cwd = realpathSync(home.project)
    mkdirSync(join(home.project, 'sub'))
    expect(settingsOn(home, created(home, 'a', '--cwd', 'sub'))).toEqual({ cwd: join(cwd, 'sub') })
    expect(settingsOn(home, created(home, 'b', '--cwd', `${cwd}/sub/../sub/.`))).toEqual({ cwd: join(cwd, 'sub') })
    const ran = home.bd(['q', 'c', '--cwd', '~/sub'], { env: { HOME: cwd } })
    expect(settingsOn(home, ran.stdout.trim())).toEqual({ cwd: join(cwd, 'sub') })
  })

  test('keeps the settings beside the metadata that the user gives', () => {
    const home = testHome()
    const id = created(home, 'a', '--metadata', '{"team":"x"}', '--coder', 'shell')
    expect(JSON.parse(home.bd(['show', id, '--json']).stdout)[0].metadata).toEqual({
      team: 'x',
      fleet: { cwd: realpathSync(home.project), coder: 'shell' },
    })
  })

  test('refuses a directory that does not exist, and creates nothing', () => {
    const home = testHome()
    writeFileSync(join(home.project, 'file'), '')
    unchanged(home, () => {
      const cwd = realpathSync(home.project)
      const hint = 'Hint: a task runs in its cwd; give a directory that exists\n'
      const missing = `Error: cwd ${cwd}/none does not exist\n${hint}`
      expect(home.bd(['create', 'a', '--cwd', 'none'])).toEqual({ code: 1, stdout: '', stderr: missing })
      expect(home.bd(['q', 'a', '--cwd', 'none'])).toEqual({ code: 1, stdout: '', stderr: missing })
      const file = `Error: cwd ${cwd}/file is not a directory\n${hint}`
      expect(home.bd(['create', 'a', '--cwd', 'file'])).toEqual({ code: 1, stdout: '', stderr: file })
      expect(home.bd(['create', 'a', '--cwd', ''])).toMatchObject({ code: 1, stdout: '' })
    })
  })

  test('refuses an unknown coder, lists the known ones, and creates nothing', () => {
    const home = testHome()
    unchanged(home, () => {
      const ran = home.bd(['create', 'a', '--coder', 'claud'])
      expect(ran).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'Error: unknown coder "claud"; known coders: claude, codex, agy, opencode, gemini, shell\nHint: did you mean claude?\n',
      })
      expect(home.bd(['q', 'a', '--coder', 'nobody'])).toMatchObject({ code: 1, stdout: '' })
    })
  })

  test('answers with the issue itself and the same under data; with the envelope, under data alone', () => {
    const home = testHome()
    const flat = JSON.parse(home.bd(['create', 'a', '--json']).stdout)
    expect(flat).toEqual({ ...flat.data, data: flat.data, schema_version: 1 })
    expect(flat.data).toMatchObject({ id: flat.id, title: 'a' })
    const ran = home.bd(['new', 'b', '--json'], { env: { BD_JSON_ENVELOPE: '1' } })
    const enveloped = JSON.parse(ran.stdout)
    expect(enveloped).toEqual({ schema_version: 1, data: expect.objectContaining({ title: 'b' }) })
  })

  test('previews without writing anything', () => {
    const home = testHome()
    unchanged(home, () => {
      expect(home.bd(['create', 'a', '--dry-run']).stdout).toContain('[DRY RUN] Would create issue:')
      expect(JSON.parse(home.bd(['create', 'a', '--dry-run', '--json']).stdout)).toMatchObject({ id: '', title: 'a' })
      expect(home.bd(['create', 'a', '--dry-run', '--coder', 'nobody']).code).toBe(1)
    })
  })

  test('refuses a dependency that would make a cycle, shows the cycle, and creates nothing', () => {
    const home = testHome()
    const a = created(home, 'a')
    unchanged(home, () => {
      const ran = home.bd(['create', 'b', '--id', 'fleet-b', '--deps', `blocks:${a},blocked-by:${a}`])
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toContain(`fleet-b → ${a} → fleet-b`)
      expect(home.bd(['create', 'b', '--deps', 'nope']).code).toBe(1)
      expect(home.bd(['create', 'b', '--waits-for', 'nope']).code).toBe(1)
    })
  })

  test.each([
    [['create'], 'title required'],
    [['create', ''], 'title cannot be empty'],
    [['create', ' \t\n'], 'title cannot be empty'],
    [['q', '  '], 'title cannot be empty'],
    [['create', 'x'.repeat(501)], 'title must be 500 characters or less (got 501)'],
    [['create', 'a', '--metadata', '[1]'], '--metadata must be a JSON object'],
    [['create', 'a', '--id', '../../x-1'], 'doesn'],
    [['create', 'a', '--id', 'fleet-../x'], 'invalid issue ID "fleet-../x"'],
    [['create', 'a', '--id', 'fleet-a b'], 'invalid issue ID'],
    [['create', 'a', '--titel', 'b'], 'did you mean --title?'],
  ])('%j is refused and creates nothing', (argv, message) => {
    const home = testHome()
    unchanged(home, () => {
      const ran = home.bd(argv)
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toContain(message)
    })
  })

  test.each(['--graph', '--file', '--repo', '--mol-type', '--no-history'])(
    "bd's %s is refused with what to do instead",
    (flag) => {
      const home = testHome()
      unchanged(home, () => {
        const ran = home.bd(['create', 'a', flag, 'x'])
        expect(ran).toMatchObject({ code: 8, stdout: '' })
        expect(ran.stderr).toMatch(new RegExp(`^Error: bd create ${flag} is not served by fleet\nHint: .+\n$`))
      })
    },
  )
})

describe('a word that looks like a flag', () => {
  test('is text where it is the value of a flag', () => {
    const home = testHome()
    const ran = home.bd(['create', 'about', '-d', '--file', '--json'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toMatchObject({ title: 'about', description: '--file' })
    expect(home.bd(['update', 'nope', '--title', '--file'])).toMatchObject({ code: 1 })
  })

  test('does not switch errors to JSON', () => {
    const home = testHome()
    const id = created(home, 'a')
    expect(home.bd(['update', id, '--priority', '9', '--title', '--json'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Error: invalid priority/),
    })
    expect(home.bd(['update', id, '--priority', '9', '--json'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^{\n {2}"error": "invalid priority/),
    })
  })
})

describe('text', () => {
  test('of a megabyte, with emoji and quotes, comes back unchanged', () => {
    const home = testHome()
    const text = `${'🚀 "quoted" \\ back\u0001slash\r\n'.repeat(40_000)}end`
    const ran = home.bd(['create', 'it\'s 🚀 "here"', '--stdin', '--json'], { input: text })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toMatchObject({ title: 'it\'s 🚀 "here"', description: text })
    const { id } = JSON.parse(ran.stdout)
    expect(
      JSON.parse(home.bd(['update', id, '--body-file', '-', '--json'], { input: `${text}!` }).stdout),
    ).toMatchObject([{ description: `${text}!` }])
  })

  test('with a NUL in it is refused, and nothing is written', () => {
    const home = testHome()
    const id = created(home, 'a')
    const stderr =
      'Error: the description has a NUL character at position 3, which a task cannot hold\nHint: is it a binary file? nothing was written\n'
    unchanged(home, () => {
      expect(home.bd(['create', 'b', '--stdin'], { input: 'abc\0def' })).toEqual({ code: 1, stdout: '', stderr })
      expect(home.bd(['update', id, '-d', '-'], { input: 'abc\0def' })).toEqual({ code: 1, stdout: '', stderr })
      expect(home.bd(['close', id, '--reason-file', '-'], { input: 'a\0' })).toMatchObject({ code: 1, stdout: '' })
      expect(home.bd(['create', 'b', '--design-file', '-'], { input: 'a\0' })).toMatchObject({ code: 1, stdout: '' })
    })
  })

  test('with terminal escapes is stored, but never printed raw', () => {
    const home = testHome()
    const title = 'red \u001b[31mtext\u001b[0m\u009b2J'
    const ran = home.bd(['create', title])
    expect(ran.stdout).toMatch(/^Created fleet-\w+: red text {2}\[/)
    const id = /fleet-\w+/.exec(ran.stdout)?.[0] ?? ''
    expect(home.bd(['update', id, '-p', '1']).stdout).toBe(`✓ Updated issue: ${id} — red text\n`)
    expect(JSON.parse(home.bd(['show', id, '--json']).stdout)[0].title).toBe(title)
  })
})

describe('a change that is refused', () => {
  test('a task that is held up cannot be claimed without --force', () => {
    const home = testHome()
    const a = created(home, 'a')
    const b = created(home, 'b', '--deps', a)
    unchanged(home, () => {
      const ran = home.bd(['update', b, '--claim'])
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toContain(`issue not claimable: blocked by [${a}] (use --force to override)`)
    })
    expect(home.bd(['update', b, '--claim', '--force'])).toMatchObject({ code: 0 })
  })

  test('a claim and the changes beside it are atomic: a refused parent undoes both', () => {
    const home = testHome()
    const a = created(home, 'a')
    unchanged(home, () => expect(home.bd(['update', a, '--claim', '-p', '0', '--parent', a]).code).toBe(1))
  })

  test('an ambiguous id lists its matches, an unknown id the nearest ones', () => {
    const home = testHome()
    for (const id of ['fleet-abc1', 'fleet-abc2', 'fleet-xyz9']) created(home, id, '--id', id)
    unchanged(home, () => {
      expect(home.bd(['close', 'abc']).stderr).toBe(
        'Error: resolving ID abc: ambiguous issue ID: "abc" matches 2 issues: [fleet-abc1 fleet-abc2]\nUse more characters to disambiguate\n',
      )
      expect(home.bd(['close', 'fleet-xyz8']).stderr).toContain('Hint: did you mean fleet-xyz9?')
      for (const id of ['../x', '..', '/', '*', "';--", 'fleet-%']) {
        expect(home.bd(['delete', id, '--force'])).toMatchObject({ code: 1, stdout: '' })
      }
    })
    expect(home.bd(['close', 'xyz'])).toMatchObject({ code: 0, stdout: expect.stringContaining('fleet-xyz9') })
  })
})

describe('a dependency on a task outside this queue', () => {
  test('is refused if its prefix is mistyped, naming the task that was meant', () => {
    const home = testHome()
    const [a, b] = ['a', 'b'].map((title) => home.bd(['q', title]).stdout.trim()) as [string, string]
    const typed = b.replace('fleet-', 'flet-')
    const ran = home.bd(['dep', 'add', a, typed])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain(`no issue found matching "${typed}"\n`)
    expect(ran.stderr).toContain(`did you mean ${b}?`)
    expect(JSON.parse(home.bd(['dep', 'list', a, '--json']).stdout)).toEqual([])
  })

  test('is recorded with a warning if it names another project', () => {
    const home = testHome()
    const a = home.bd(['q', 'a']).stdout.trim()
    expect(home.bd(['dep', 'add', a, 'other-x1'])).toMatchObject({
      code: 0,
      stderr: 'warning: other-x1 is not kept here: the dependency is recorded, but holds nothing up\n',
    })
  })

  test('a new parent that would make a cycle is refused, and the old parent stays', () => {
    const home = testHome()
    const [g, a] = ['g', 'a'].map((title) => home.bd(['q', title]).stdout.trim()) as [string, string]
    const p = home.bd(['create', 'p', '--parent', g, '--silent']).stdout.trim()
    expect(home.bd(['dep', 'add', a, g]).code).toBe(0)
    const before = home.bd(['export']).stdout
    const ran = home.bd(['update', a, '--parent', p])
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain(`${a} cannot become a child of ${p}: ${a} is blocked by ${g}`)
    expect(home.bd(['export']).stdout).toBe(before)
  })
})
