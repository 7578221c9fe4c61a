import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { FLEET, type Ran, run, runBeside, scrubbed, temporaryFolder } from '../../support/cli.ts'
import { PYTHON_TOML, type PythonTask, pythonHome } from '../../support/python-home.ts'
import { bd, freshBeads, quickBd, realBd, withRealBd } from '../../support/real-bd.ts'
import { standIn } from '../../support/stand-ins.ts'

interface Moved {
  readonly path: string
  readonly project: string
  fleet(...argv: readonly string[]): Ran
  beside(...argv: readonly string[]): Promise<Ran>
}

function place(): Moved {
  const folder = temporaryFolder()
  const [path, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(project)
  // Its home says `isolation = worktree`, so the work lands on the branch that is checked out there.
  const git = (...argv: readonly string[]): unknown => execFileSync('git', ['-C', project, ...argv])
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 't')
  git('config', 'user.email', 't@localhost')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  const env = { ...withRealBd(quickBd()), FLEET_HOME: path, HOME: folder }
  return {
    path,
    project,
    fleet: (...argv) => run(process.execPath, [FLEET, ...argv], { cwd: project, env }),
    beside: (...argv) => runBeside(process.execPath, [FLEET, ...argv], { cwd: project, env }),
  }
}

const QUESTION = '# Questions\n\n## Q: 2026-09-01 10:00\nWhich database?\n'
const ANSWERED = `${QUESTION}\n## A: 2026-09-01 11:00\nPostgres.\n`
const id = (n: number): string => `fleet-p${String(n).padStart(3, '0')}`

/** Tasks in every state that the Python fleet knows, each with the settings where one of its versions keeps them. */
function tasks(project: string, count: number): PythonTask[] {
  const taskJson = (n: number, more: object = {}) =>
    JSON.stringify({ id: id(n), title: `Task ${n}`, cwd: project, coder: null, model: null, ...more })
  const special: readonly PythonTask[] = [
    {
      id: id(0),
      title: 'Goes on',
      description: 'pwd >where.txt',
      files: { 'task.json': taskJson(0, { coder: 'shell' }), 'artifacts/KNOWLEDGE.md': 'known\n' },
    },
    {
      id: id(1),
      title: 'Asks',
      status: 'blocked',
      description: 'touch answered.txt',
      notes: 'QUESTION: which database',
      files: { 'task.json': taskJson(1, { coder: 'shell' }), 'artifacts/Q&A.md': QUESTION },
    },
    {
      id: id(2),
      title: 'Fails',
      description: 'exit 3',
      files: { 'task.json': taskJson(2, { coder: 'shell' }), '.failures': '4\n', 'log.jsonl': '{"python":1}\n' },
    },
    {
      id: id(3),
      title: 'Was being worked on',
      status: 'in_progress',
      assignee: 'fleet-worker',
      description: 'touch resumed.txt',
      files: { 'task.json': taskJson(3, { coder: 'shell' }), 'attempts/1/run.json': '{"pid":1}', '.failures': '0' },
    },
    { id: id(4), title: 'Held by a person', status: 'in_progress', assignee: 'ann' },
    {
      id: id(5),
      title: 'Newer',
      metadata: { fleet_cwd: project, fleet_coder: 'claude', fleet_model: 'opus', fleet_worker: 'job' },
      dependsOn: id(4),
    },
    {
      id: id(6),
      title: 'Was answered',
      status: 'blocked',
      files: { 'task.json': taskJson(6), 'artifacts/Q&A.md': ANSWERED },
    },
  ]
  const states = ['open', 'blocked', 'deferred', 'closed', 'closed']
  const others = Array.from({ length: count - special.length }, (_, i): PythonTask => {
    const n = i + special.length
    const status = states[n % states.length] ?? 'open'
    const waits = status === 'open' ? { dependsOn: id(4) } : {}
    return { id: id(n), title: `Task ${n}`, status, ...waits, files: { 'task.json': taskJson(n) } }
  })
  return [...special, ...others]
}

/** Of all tasks, in one call: each call of bd takes a good part of a second. */
const statusesOf = (home: Moved): ReadonlyMap<string, string> => {
  const { stdout } = home.fleet('bd', 'list', '--all', '--limit', '0', '--json')
  return new Map(JSON.parse(stdout).map((task: { id: string; status: string }) => [task.id, task.status]))
}

/** Many tasks in the queue where they cost least: each read of bd's tasks reads all of them. */
const MOVES = [
  { queue: 'beads', count: 60, taken: '13 open, 2 in progress, 12 blocked, 11 deferred, 22 closed' },
  { queue: 'local', count: 200, taken: '41 open, 2 in progress, 40 blocked, 39 deferred, 78 closed' },
]

describe.skipIf(realBd === '')('a home of the Python fleet', { timeout: 240_000 }, () => {
  test.each(MOVES)(
    'with $count tasks moves in ($queue queue), and its work goes on',
    async ({ queue, count, taken }) => {
      const home = place()
      pythonHome(home.path, tasks(home.project, count))
      const before = home.fleet('tasks')
      expect(before).toMatchObject({ code: 3, stderr: expect.stringContaining('fleet init takes them over') })

      const made = home.fleet('init', ...(queue === 'local' ? ['--queue', 'local'] : []))
      expect(made).toMatchObject({ code: 0, stderr: expect.not.stringContaining('fleet:') })
      expect(made.stdout).toContain(`Taken over from the Python fleet: ${count} tasks (${taken})\n`)
      expect(made.stdout).toContain(`  open again: ${id(3)}, claimed by the Python fleet`)
      expect(made.stdout).toContain('  setting: retry_limit = 5 is now max_attempts = 5\n')
      expect(made.stdout).toContain(
        '  no such setting here: telegram_chat_id = 12345: fleet questions and fleet answer\n',
      )
      expect(made.stdout).toContain(`queue: ${queue} (`)

      const toml = readFileSync(join(home.path, 'runtime.toml'), 'utf8')
      expect(parse(toml)).toEqual({
        max_concurrent: 4,
        coder: 'shell',
        max_attempts: 5,
        context_pressure_threshold_pct: 85,
        isolation: 'worktree',
        queue,
        timeouts: { wall: '45m', idle: '15m' },
      })
      for (const comment of ['# my fleet', '# the machine is small', '# the page']) expect(toml).toContain(comment)
      expect(readFileSync(join(home.path, 'runtime.toml.python-fleet'), 'utf8')).toBe(PYTHON_TOML)

      // Nothing is out of sight, and settings, failures, questions and artifacts are what they were.
      expect(statusesOf(home).size).toBe(count)
      const show = (n: number) => JSON.parse(home.fleet('show', id(n), '--json').stdout)
      expect(show(0).fleet).toMatchObject({ cwd: home.project, coder: 'shell', defaults: ['model'] })
      expect(show(5).fleet).toMatchObject({ cwd: home.project, coder: 'claude', model: 'opus', defaults: [] })
      expect(JSON.parse(home.fleet('questions', '--json').stdout)).toMatchObject([
        { task: id(1), question: 'Which database?' },
      ])
      expect(home.fleet('show', id(2)).stdout).toContain('  4 before this home kept a record\n')
      expect(readFileSync(join(home.path, 'tasks', id(0), 'artifacts', 'KNOWLEDGE.md'), 'utf8')).toBe('known\n')
      expect(readdirSync(join(home.path, 'tasks', id(3), 'python-fleet')).sort()).toEqual([
        '.failures',
        'attempts',
        'task.json',
      ])

      expect(home.fleet('answer', id(1), 'SQLite')).toMatchObject({ code: 0 })
      const once = await home.beside('run', '--once')
      expect(once.stdout + once.stderr).not.toContain('failed, will retry')
      expect(existsSync(join(home.project, 'where.txt'))).toBe(true)
      expect(existsSync(join(home.project, 'answered.txt'))).toBe(true)
      expect(existsSync(join(home.project, 'resumed.txt'))).toBe(true)
      const statuses = statusesOf(home)
      expect([0, 1, 2, 3].map((n) => statuses.get(id(n)))).toEqual(['closed', 'closed', 'blocked', 'closed'])
      // The fifth failure, after four under the Python fleet.
      expect(readFileSync(join(home.path, 'tasks', id(2), '.failures'), 'utf8')).toBe('5\n')
      expect(home.fleet('init')).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Taken over') })
    },
  )

  test('that lost its store, and had none of the Python fleet, reads every task from bd again', () => {
    const home = place()
    expect(home.fleet('init', '--queue', 'beads').code).toBe(0)
    const made = home.fleet('bd', 'create', 'Kept', '--coder', 'shell', '-d', 'true', '--silent').stdout.trim()
    for (const name of readdirSync(home.path)) if (name.startsWith('fleet.db')) rmSync(join(home.path, name))
    expect(home.fleet('ready')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('fleet init takes them over'),
    })
    expect(home.fleet('init').stdout).toContain(
      'Read again from bd: 1 task (1 open)\nqueue: beads (read again from bd)\n',
    )
    expect(home.fleet('ready').stdout).toContain(made)
  })

  test('docs/guide/coming-from-python-fleet.md shows what fleet init prints', async () => {
    const home = place()
    const files = (coder: string) => ({ 'task.json': JSON.stringify({ cwd: home.project, coder }) })
    pythonHome(home.path, [
      { id: 'fleet-a1b', title: 'Add a search box', files: files('claude') },
      { id: 'fleet-c2d', title: 'Fix login', files: { ...files('codex'), '.failures': '2' } },
      { id: 'fleet-e3f', title: 'Choose a database', status: 'blocked', files: { 'artifacts/Q&A.md': QUESTION } },
      { id: 'fleet-g4h', title: 'Add tests', status: 'in_progress', assignee: 'worker-1', files: files('claude') },
      { id: 'fleet-i5j', title: 'Set up CI', status: 'closed', metadata: { fleet_worker: 'job' } },
    ])
    const said = home
      .fleet('init')
      .stdout.replaceAll(home.path, '~/.fleet')
      .replace(/^permissions: .*\n/m, '')
    const page = resolve(import.meta.dirname, '../../../docs/guide/coming-from-python-fleet.md')
    const shown = readFileSync(page, 'utf8').replace(/(?<=```text\n)[\s\S]*?(?=```)/, () => said)
    await expect(shown).toMatchFileSnapshot(page)
  })

  test('is refused without bd, and nothing is changed', () => {
    const home = place()
    pythonHome(home.path, [{ id: id(1), title: 'One', files: { 'task.json': '{}' } }])
    const env = { ...scrubbed(), FLEET_HOME: home.path, PATH: '/usr/bin:/bin' }
    for (const words of [[], ['--queue', 'local'], ['--queue', 'beads']]) {
      expect(run(process.execPath, [FLEET, 'init', ...words], { env })).toMatchObject({
        code: 7,
        stdout: '',
        stderr: `fleet: the tasks of ${home.path} are in ${home.path}/.beads, and there is no bd on PATH\n  nothing was changed; install bd (npm install -g @beads/bd), then run it again\n`,
      })
    }
    const ours = readdirSync(home.path).filter((name) => !name.startsWith('.beads'))
    expect(ours.sort()).toEqual(['logging', 'runtime.toml', 'tasks'])
  })

  test('whose take-over was interrupted is taken over by the next fleet init', () => {
    const home = place()
    const files = { 'task.json': JSON.stringify({ cwd: home.project, coder: 'shell' }), '.failures': '2' }
    pythonHome(home.path, [{ id: id(1), title: 'One', files }])
    const broken = join(home.path, '..', 'broken')
    mkdirSync(broken)
    const script = `#!/bin/sh\ncase "$*" in *import*) echo "Error: no" >&2; exit 1;; esac\nexec '${realBd}' "$@"\n`
    writeFileSync(join(broken, 'bd'), script, { mode: 0o755 })
    const env = { ...withRealBd(join(broken, 'bd')), FLEET_HOME: home.path }
    expect(run(process.execPath, [FLEET, 'init'], { env })).toMatchObject({ code: 7, stdout: '' })
    for (const words of [['run', '--once'], ['tasks'], ['ready'], ['show', id(1)], ['bd', 'list'], ['retry', id(1)]]) {
      expect(home.fleet(...words), words.join(' ')).toMatchObject({
        code: words[0] === 'bd' ? 1 : 5,
        stderr: expect.stringContaining('nothing was changed; run fleet init again'),
      })
    }
    expect(home.fleet('queue', 'migrate', '--to', 'local').stderr).toContain('run fleet init again')
    expect(home.fleet('doctor').stdout).not.toBe('')
    expect(home.fleet('init').stdout).toContain('Taken over from the Python fleet: 1 task (1 open)\n  failures: 1 task')
    expect(JSON.parse(home.fleet('show', id(1), '--json').stdout).fleet).toMatchObject({ coder: 'shell' })
    expect(readFileSync(join(home.path, 'runtime.toml.python-fleet'), 'utf8')).toBe(PYTHON_TOML)
    expect(existsSync(join(home.path, 'taking-over'))).toBe(false)
  })

  test('whose settings are all out of range is taken over at once, and the report names each as it was', () => {
    const home = place()
    const toml = 'context_kill_pct = 0\nmodel = "x"\ncoder = "ollama"\nmax_attempt_minutes = 5000000\n'
    pythonHome(home.path, [{ id: id(1), title: 'One' }], toml)
    const made = home.fleet('init')
    expect(made).toMatchObject({ code: 0, stderr: expect.not.stringContaining('fleet:') })
    const coders = 'claude, codex, agy, opencode, gemini, shell'
    expect(made.stdout.replaceAll(home.path, '~').split('\n').slice(1, -2)).toEqual([
      'Taken over from the Python fleet: 1 task (1 open)',
      '  not taken over: context_kill_pct = 0: context_pressure_threshold_pct is 0, expected a whole number from 1 to 100',
      '  not taken over: max_attempt_minutes = 5000000: timeouts.wall is "5000000m", expected a duration such as "2h", or "none", from 100ms to 30d',
      `  not taken over: coder = "ollama": it is "ollama", expected one of ${coders}`,
      '  not taken over: model = "x": the model of that coder',
      '  runtime.toml as it was: ~/runtime.toml.python-fleet',
      "queue: beads (as the Python fleet's)",
    ])
    expect(readFileSync(join(home.path, 'runtime.toml'), 'utf8')).toBe(
      `${toml.replace(/^(?=.)/gm, '# ')}queue = "beads"\n`,
    )
  })

  test('with blocked tasks, dead claims and odd files shows what waits for a person, and how to go on', () => {
    const home = place()
    const files = { 'task.json': JSON.stringify({ cwd: home.project, coder: 'shell' }) }
    pythonHome(home.path, [
      { id: id(1), title: 'Gave up', status: 'blocked', files: { ...files, '.failures': '3' } },
      { id: id(2), title: 'Blocked by hand', status: 'blocked' },
      { id: id(3), title: 'Asks', status: 'blocked', files: { ...files, 'artifacts/Q&A.md': QUESTION } },
      { id: id(4), title: 'Left', status: 'in_progress', assignee: 'worker-1', files },
      { id: id(5), title: 'Left, too', status: 'in_progress', assignee: 'worker-1' },
      { id: id(6), title: 'Held', status: 'in_progress', assignee: 'ann' },
      { id: id(7), title: 'Held by no one', status: 'in_progress' },
      { id: id(8), title: 'Odd', files },
    ])
    const odd = join(home.path, 'tasks', id(8))
    symlinkSync('/etc/hostname', join(odd, '.failures'))
    symlinkSync('/etc', join(odd, 'artifacts'))
    const made = home.fleet('init')
    expect(made).toMatchObject({ code: 0, stderr: expect.not.stringContaining('fleet:') })
    expect(made.stdout.split('\n').slice(1, 9)).toEqual([
      'Taken over from the Python fleet: 8 tasks (1 open, 4 in progress, 3 blocked)',
      '  failures: 1 task keeps its count',
      '  questions: 1 open; fleet questions lists them',
      `  open again: ${id(4)}, ${id(5)}, claimed by the Python fleet (stop it before fleet run)`,
      `  still claimed by ann: ${id(6)}; fleet bd unclaim ${id(6)} --force opens it`,
      `  still in progress, claimed by no one: ${id(7)}; fleet bd update ${id(7)} --status open opens it`,
      `  not read: ${odd}/.failures: it is a link`,
      `  not read: ${odd}/artifacts/Q&A.md: its folder is a link`,
    ])
    const { attention } = JSON.parse(home.fleet('tasks', '--json').stdout)
    const blocked = attention.filter(({ kind }: { kind: string }) => kind === 'blocked')
    expect(blocked.map(({ task, reason }: { task: string; reason: string }) => [task, reason]).sort()).toEqual([
      [id(1), 'blocked by the Python fleet after 3 failures'],
      [id(2), 'blocked under the Python fleet'],
    ])
    expect(home.fleet('tasks').stdout).toContain(`fleet retry ${id(1)}`)
    // Killed just before its last step, a take-over is repeated, and forgets nothing.
    writeFileSync(join(home.path, 'taking-over'), '')
    expect(home.fleet('tasks')).toMatchObject({ code: 5 })
    expect(home.fleet('init').stdout).toContain('Read again from bd: 8 tasks')
    expect(home.fleet('tasks').stdout).toContain('blocked by the Python fleet after 3 failures')
    // Each hint works.
    expect(home.fleet('retry', id(1))).toMatchObject({ code: 0 })
    expect(home.fleet('bd', 'unclaim', id(6), '--force')).toMatchObject({ code: 0 })
    expect(home.fleet('bd', 'update', id(7), '--status', 'open')).toMatchObject({ code: 0 })
    const statuses = statusesOf(home)
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((n) => statuses.get(id(n)))).toEqual([
      'open',
      'blocked',
      'blocked',
      'open',
      'open',
      'open',
      'open',
      'open',
    ])
    expect(home.fleet('tasks').stdout).not.toContain(`fleet retry ${id(1)}`)
  })

  test('is not taken over while a supervisor holds the home', async () => {
    const home = place()
    pythonHome(home.path, [{ id: id(1), title: 'One' }])
    const supervisor = await standIn({ home: home.path })
    expect(home.fleet('init')).toMatchObject({
      code: 5,
      stdout: '',
      stderr: `fleet: a supervisor is running on ${home.path}\n  nothing was changed; fleet run stop ends it, then run fleet init again\n`,
    })
    expect(existsSync(join(home.path, 'taking-over'))).toBe(false)
    expect(existsSync(join(home.path, 'fleet.db'))).toBe(false)
    await supervisor.kill()
    expect(home.fleet('init')).toMatchObject({ code: 0 })
  })

  test("an empty queue of the home's own beside bd's tasks is refused, and fleet init --queue beads uses them", () => {
    const home = place()
    expect(home.fleet('init', '--queue', 'local').code).toBe(0)
    freshBeads(join(home.path, '.beads'))
    bd(join(home.path, '.beads'), ['create', 'Out of sight'])
    for (const words of [['ready'], ['tasks'], ['bd', 'list'], ['bd', 'create', 'x'], ['run', '--once'], ['init']]) {
      expect(home.fleet(...words)).toMatchObject({
        code: words[0] === 'bd' ? 1 : 5,
        stderr: expect.stringContaining('fleet init --queue beads uses the tasks in'),
      })
    }
    expect(home.fleet('init', '--queue', 'beads')).toMatchObject({ code: 0, stderr: '' })
    expect(home.fleet('ready').stdout).toContain('Out of sight')
  })
})
