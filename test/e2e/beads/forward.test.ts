import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { started } from '../../support/ledger.ts'
import { bd, freshBeads, quickBd, realBd, withRealBd } from '../../support/real-bd.ts'
import { tree } from '../../support/store.ts'
import { beadsHome } from './home.ts'

const created = (stdout: string): string => /^Created (\S+):/.exec(stdout)?.[1] ?? ''

describe.skipIf(realBd === '')('fleet bd on a beads home', { timeout: 240_000 }, () => {
  test('is bd itself: its help, its output, its exit codes', () => {
    const home = beadsHome()
    const real = (argv: readonly string[]) =>
      run(realBd, argv, { cwd: home.project, env: { ...home.env, BEADS_DIR: home.beads, BD_DISABLE_METRICS: '1' } })
    for (const argv of [
      ['--help'],
      ['create', '--help'],
      ['formula', '--help'],
      ['frobnicate'],
      ['update', 'x', '--nonsense'],
    ]) {
      expect(home.bd(argv)).toEqual(real(argv))
    }
    expect(home.bd(['show', 'fleet-nothing', '--json'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('error'),
    })
  })

  test('a new task stores its directory and coder in one write of bd', () => {
    const home = beadsHome()
    const made = home.bd(['create', 'Fix it', '-p', '1', '--coder', 'codex', '--model', 'o9', '-l', 'a,b'])
    const id = created(made.stdout)
    expect(made).toEqual({
      code: 0,
      stdout: `Created ${id}: Fix it  [cwd: ${home.project}, coder: codex, model: o9]\n`,
      stderr: '',
    })
    const fleet = { cwd: home.project, coder: 'codex', model: 'o9' }
    const [issue] = JSON.parse(bd(home.beads, ['show', id, '--json']))
    expect(issue).toMatchObject({ title: 'Fix it', priority: 1, labels: ['a', 'b'], metadata: { fleet } })
    expect(issue.updated_at).toBe(issue.created_at)
    expect(JSON.parse(readFileSync(join(home.path, 'tasks', id, 'task.json'), 'utf8'))).toMatchObject({ id, ...fleet })

    const quick = home.bd(['q', 'quick', 'thing', '-p', '3', '--cwd', home.path])
    expect(quick).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(bd(home.beads, ['show', quick.stdout.trim(), '--json']))[0]).toMatchObject({
      title: 'quick thing',
      priority: 3,
      metadata: { fleet: { cwd: home.path } },
    })

    const json = JSON.parse(home.bd(['new', 'by program', '--json', '--metadata', '{"mine":1}']).stdout)
    expect(json).toMatchObject({ schema_version: 1, data: { title: 'by program', metadata: { mine: 1 } } })
    expect(json.id).toBe(json.data.id)
    expect(home.bd(['create', 'silent', '--silent']).stdout).toMatch(/^fleet-\w+\n$/)
  })

  test('an invalid request is refused and creates nothing', () => {
    const home = beadsHome()
    expect(home.bd(['create', 'a', '--coder', 'clade'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('known coders: claude, codex'),
    })
    expect(home.bd(['create', 'a', '--cwd', 'nowhere'])).toMatchObject({ code: 1, stdout: '' })
    expect(home.bd(['create', 'a', '-p', 'high'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('invalid priority'),
    })
    expect(home.bd(['list', '--db', '/tmp/other.db'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--db'),
    })
    expect(home.bd(['create', 'dry', '--dry-run']).code).toBe(0)
    expect(JSON.parse(home.bd(['list', '--all', '--json']).stdout)).toEqual([])
  })

  test("paths are relative to the user's directory, the database is the home's, and a project's own .beads is left alone", () => {
    const home = beadsHome()
    const own = join(home.project, '.beads')
    freshBeads(own)
    bd(own, ['create', "the project's own"])
    const before = { database: tree(join(own, 'embeddeddolt')), files: readdirSync(home.project) }
    const deep = join(home.project, 'deep')
    mkdirSync(deep)
    writeFileSync(join(deep, 'text.md'), 'from a file\n')
    const id = created(home.bd(['create', 'with text', '--body-file', 'text.md'], { cwd: deep }).stdout)
    expect(JSON.parse(bd(home.beads, ['show', id, '--json']))[0]).toMatchObject({
      description: expect.stringContaining('from a file'),
      metadata: { fleet: { cwd: deep } },
    })
    const there = created(home.bd(['-C', 'deep', 'create', 'as if there', '--body-file=text.md']).stdout)
    expect(JSON.parse(bd(home.beads, ['show', there, '--json']))[0]).toMatchObject({
      metadata: { fleet: { cwd: deep } },
    })
    expect(home.bd(['export', '-o', 'out.jsonl'], { cwd: deep }).code).toBe(0)
    expect(readFileSync(join(deep, 'out.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
    expect(home.bd(['list', '--json'], { env: { BEADS_DIR: own, BD_DB: own } }).stdout).not.toContain("project's own")
    expect(home.fleet(['ready']).stdout).not.toContain("project's own")
    expect(tree(join(own, 'embeddeddolt'))).toEqual(before.database)
    expect(readdirSync(home.project)).toEqual([...before.files, 'deep'])
  })

  test('update changes settings, and reopening a waiting task ends its retry delay', () => {
    const home = beadsHome()
    const id = created(home.bd(['create', 'later', '--coder', 'codex']).stdout)
    const updated = home.bd(['update', id, '--coder', 'claude', '--model', 'opus', '-p', '0'])
    expect(updated).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(bd(home.beads, ['show', id, '--json']))[0]).toMatchObject({
      priority: 0,
      metadata: { fleet: { cwd: home.project, coder: 'claude', model: 'opus' } },
    })
    expect(home.fleet(['show', id]).stdout).toContain('opus')
  })

  test("`dep add` on a running task is bd's, and warns that its agent goes on", () => {
    const home = beadsHome()
    const [running, other] = ['running', 'other'].map((title) => created(home.bd(['create', title]).stdout))
    started(home, running ?? '')
    const { code, stderr } = home.bd(['dep', 'add', running ?? '', other ?? ''])
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`warning: ${running} is running: its agent goes on, and ${other} counts`),
    })
  })

  test('init creates a complete, private home, and offers beads if bd is on PATH', () => {
    const home = beadsHome({ copied: false })
    expect(home.fleet(['init']).stdout).toContain('queue: beads (as runtime.toml says)\n')
    expect(home.fleet(['init', '--queue', 'local'])).toMatchObject({ code: 5, stdout: '' })
    expect(home.fleet(['config', 'show']).stdout).toMatch(/queue\s*=?\s*"?beads/)
    expect(readdirSync(home.project)).toEqual([])
    expect(existsSync(join(home.path, 'AGENTS.md'))).toBe(false)
    expect(existsSync(join(home.path, '.git'))).toBe(false)
    const doctor = home.fleet(['doctor', '--json'])
    const checks = JSON.parse(doctor.stdout).checks as { name: string; state: string; found: string }[]
    expect(checks.find((check) => check.name === 'bd')).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('keeps the tasks of this home'),
    })
    expect(checks.find((check) => check.name === 'queue')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/\.beads: 0 tasks, by bd 1\.\d+\.\d+ \(.*\/bd\)$/),
    })
    expect(checks.find((check) => check.name === 'config')).toMatchObject({ state: 'ok' })
    expect(checks.find((check) => check.name === 'permissions')).toMatchObject({ state: 'ok' })
    const other = { FLEET_HOME: join(home.project, 'other'), PATH: withRealBd(quickBd())['PATH'] }
    expect(home.fleet(['init'], { env: other }).stdout).toMatch(/^queue: beads \(bd 1\.\d+\.\d+ is on PATH/m)
  })
})
