import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { DEMO_TASKS } from '../../src/actions/demo/tasks.ts'
import { stubAs } from '../stub-agent/stub-as.ts'
import { FLEET, type Ran, run, scrubbed, temporaryFolder } from '../support/cli.ts'
import { tree } from '../support/store.ts'

/** A user with a home that must stay unchanged, and a temporary folder that must end up empty. */
function user(): { env: NodeJS.ProcessEnv; home: string; temporary: string } {
  const folder = temporaryFolder()
  const [home, temporary] = [join(folder, 'home'), join(folder, 'tmp')]
  mkdirSync(temporary)
  return { home, temporary, env: { FLEET_HOME: home, TMPDIR: temporary } }
}

function demo(argv: readonly string[], env: NodeJS.ProcessEnv): Ran {
  return run(process.execPath, [FLEET, 'demo', ...argv], { env })
}

test('the demo runs dependent tasks in parallel, with a question, a refused claim, tokens and evidence', () => {
  const { env, home, temporary } = user()
  const { code, stdout, stderr } = demo([], env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const { title } of DEMO_TASKS) {
    const row = stdout.split('\n').find((line) => /\bdone\b/.test(line) && line.includes(title))
    expect(row).toMatch(/done +[12] +[\d.]+k +evidenced/)
  }
  expect(stdout).toMatch(/^[\d.]+ s of work in [\d.]+ s: at most 3 agents side by side, in 9 attempts$/m)
  expect(stdout).toMatch(/^The agent is a script of this demo\. It asks no model and costs nothing/)
  expect(stdout).toMatch(/^ +\? fleet-\w+ {2}What sells best.* answered: the largest sum$/m)
  expect(stdout).toMatch(/ ■ fleet-\w+ {2}claimed done with 0 tool calls/)
  expect(stdout).toMatch(/"how": "letter"/)
  expect(stdout).toMatch(/^- north \d+$/m)
  expect(readdirSync(temporary)).toEqual([])
  expect(existsSync(home)).toBe(false)
})

test('`--coder shell` runs the tasks as plain scripts', () => {
  const { env, temporary } = user()
  const { code, stdout } = demo(['--coder', 'shell'], env)
  expect(code).toBe(0)
  expect(stdout).toMatch(/in 7 attempts$/m)
  expect(stdout).toMatch(/"how": "exit"/)
  expect(readdirSync(temporary)).toEqual([])
})

test('--keep leaves a home that fleet can read, and a project with the work committed, also inside a git hook, whose repository stays unchanged', () => {
  const { env, temporary } = user()
  const repository = temporaryFolder()
  expect(run('git', ['init', '--quiet', repository]).code).toBe(0)
  const before = tree(repository)
  const hook = { GIT_DIR: join(repository, '.git'), GIT_WORK_TREE: repository, GIT_INDEX_FILE: '.git/index' }
  const { code, stdout } = demo(['--keep'], { ...env, ...hook })
  expect(code).toBe(0)
  expect(tree(repository)).toEqual(before)
  const [folder = ''] = readdirSync(temporary)
  const kept = join(temporary, folder)
  expect(stdout).toContain(`the home    ${kept}/home\n`)
  const log = run('git', ['-C', join(kept, 'project'), 'log', '--format=%s'])
  expect(log.stdout).toBe('Add the sales report\nBegin\n')
  const receipt = /task (\S+) receipt$/m.exec(stdout)?.[1] ?? ''
  const shown = run(process.execPath, [FLEET, 'task', receipt, 'receipt'], { env: { FLEET_HOME: `${kept}/home` } })
  expect(JSON.parse(shown.stdout)).toMatchObject({ task: receipt, outcome: { code: 'done' } })
})

test('`--coder claude` uses the configuration of the user but not their shared queue, and first says what it costs', () => {
  const { env, home, temporary } = user()
  const work = { write: 'made-$FLEET_TASK_ID.txt', text: 'x' }
  const claude = stubAs('claude', [
    { claude: 'init' },
    { claude: 'tool', name: 'Write', input: { file_path: work.write }, do: [work] },
    { fleet: ['done', 'wrote it'] },
    { claude: 'result', text: 'done' },
  ])
  mkdirSync(home)
  const config = (queue: string) => `permissions = "settings"\nqueue = "${queue}"\n`
  writeFileSync(join(home, 'runtime.toml'), config('postgres://me@127.0.0.1:1/shared'))
  const { code, stdout, stderr } = demo(['--coder', 'claude', '--keep'], { ...env, PATH: claude.path })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^claude needs your account/)
  expect(claude.starts()).toHaveLength(DEMO_TASKS.length)
  expect(claude.starts()[0]?.argv).not.toContain('--dangerously-skip-permissions')
  const [folder = ''] = readdirSync(temporary)
  expect(readFileSync(join(temporary, folder, 'home/runtime.toml'), 'utf8')).toBe(config('local'))
  expect(readdirSync(home)).toEqual(['runtime.toml'])
})

test('a coder that is missing, or that fleet cannot run, is refused before anything is created', () => {
  const { env, temporary } = user()
  const bare = { ...env, PATH: '/nowhere' }
  expect(demo(['--coder', 'claude'], bare)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'fleet: claude is not on PATH\n  install it and log in; fleet demo alone needs neither\n',
  })
  expect(demo(['--coder', 'cobol'], env)).toMatchObject({ code: 2 })
  expect(demo(['now'], env)).toMatchObject({ code: 2 })
  expect(readdirSync(temporary)).toEqual([])
})

test('on a machine that can run no agents, the demo says why with the next step, and leaves nothing behind', () => {
  const { env, temporary } = user()
  const { code, stderr } = demo([], { ...env, FLEET_PROCESS_TABLE: 'ps', PATH: '/nowhere' })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'fleet: the supervisor did not start: the processes of agents cannot be told apart on this machine: FLEET_PROCESS_TABLE=ps asks for ps, which is not on PATH\n  mount /proc, or install ps (the package procps); the queue and its commands work without\n',
  })
  expect(readdirSync(temporary)).toEqual([])
})

test('an interrupted demo ends its agents and leaves nothing behind', async () => {
  const { env, temporary } = user()
  const child = spawn(process.execPath, [FLEET, 'demo'], { env: { ...scrubbed(), ...env } })
  const said: string[] = []
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    if (!said.join('').includes('▶') && part.includes('▶')) child.kill('SIGINT')
    said.push(part)
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'stopped\n' })
  expect(said.join('')).toContain('the supervisor was stopped by SIGTERM')
  expect(readdirSync(temporary)).toEqual([])
})
