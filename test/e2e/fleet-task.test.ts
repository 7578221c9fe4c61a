import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import { FLEET, run, scrubbed, type TestHome, testHome } from '../support/cli.ts'
import { started } from '../support/ledger.ts'
import { created } from '../support/tasks.ts'
import { hasScript } from '../support/tools.ts'

function put(home: TestHome, id: string, name: string, content: string | Buffer): string {
  const path = join(home.path, 'tasks', id, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

describe('a file of a task', () => {
  test.each([
    ['log', 'log.jsonl'],
    ['plan', 'artifacts/PLAN_AND_STATUS.md'],
    ['knowledge', 'artifacts/KNOWLEDGE.md'],
    ['events', 'events.jsonl'],
    ['prompt', 'attempts/2/prompt.md'],
    ['receipt', 'attempts/2/receipt.json'],
    ['stderr', 'attempts/2/stderr.log'],
    ['output', 'attempts/2/stdout.jsonl'],
  ])('%s is printed unchanged into a pipe', (name, path) => {
    const home = testHome()
    const id = created(home, 'A task')
    const bytes = Buffer.from([0x68, 0xff, 0x00, 0x1b, 0x0a, 0x68])
    put(home, id, path, bytes)
    put(home, id, path.replace('attempts/2', 'attempts/1'), bytes)
    const done = spawnSync(process.execPath, [FLEET, 'task', id, name], {
      env: { ...scrubbed(), FLEET_HOME: home.path },
    })
    expect({ code: done.status, bytes: done.stdout, errors: String(done.stderr) }).toEqual({
      code: 0,
      bytes,
      errors: '',
    })
  })

  test('can be read from an earlier attempt', () => {
    const home = testHome()
    const id = created(home, 'A task')
    for (const attempt of [1, 2, 10]) put(home, id, `attempts/${attempt}/prompt.md`, `attempt ${attempt}\n`)
    expect(home.fleet(['task', id, 'prompt']).stdout).toBe('attempt 10\n')
    expect(home.fleet(['task', id, 'prompt', '--attempt', '2']).stdout).toBe('attempt 2\n')
    expect(home.fleet(['task', id, 'prompt', '--attempt', '0']).code).toBe(2)
    expect(home.fleet(['task', id, 'plan', '--attempt', '1']).code).toBe(2)
  })

  test('can be limited to the events of one attempt', () => {
    const home = testHome()
    const id = created(home, 'A task')
    put(home, id, 'attempts/2/prompt.md', 'two')
    put(home, id, 'events.jsonl', '{"attempt":1,"kind":"a"}\n{"attempt":2,"kind":"b"}\nhalf')
    expect(home.fleet(['task', id, 'events', '--attempt', '2']).stdout).toBe('{"attempt":2,"kind":"b"}\n')
  })

  test('is one document with --json', () => {
    const home = testHome()
    const id = created(home, 'A task')
    const path = put(home, id, 'artifacts/PLAN_AND_STATUS.md', '# Plan\n')
    expect(JSON.parse(home.fleet(['task', id, 'plan', '--json']).stdout)).toEqual({
      schema_version: 1,
      task: id,
      file: 'plan',
      path,
      text: '# Plan\n',
    })
  })

  test('exits 4 if it does not exist, and says what would create it', () => {
    const home = testHome()
    const id = created(home, 'A task')
    const path = join(home.path, 'tasks', id, 'artifacts/PLAN_AND_STATUS.md')
    expect(home.fleet(['task', id, 'plan'])).toEqual({
      code: 4,
      stdout: '',
      stderr: `fleet: ${id} has no plan: ${path} does not exist\n  the agent writes it before its first edit\n`,
    })
  })

  test('exits 4 for an unknown attempt, and lists the attempts', () => {
    const home = testHome()
    const [id, never] = [created(home, 'A task'), created(home, 'A task')]
    for (const attempt of [1, 2]) put(home, id, `attempts/${attempt}/receipt.json`, '{}\n')
    for (const name of ['receipt', 'events', 'diff']) {
      expect(home.fleet(['task', id, name, '--attempt', '3'])).toEqual({
        code: 4,
        stdout: '',
        stderr: `fleet: ${id} has no attempt 3\n  there are attempts 1, 2\n`,
      })
    }
    for (const argv of [['receipt'], ['diff'], ['receipt', '--attempt', '1']]) {
      expect(home.fleet(['task', never, ...argv])).toEqual({
        code: 4,
        stdout: '',
        stderr: `fleet: ${never} was never started, so it has no ${argv[0]}\n  fleet show ${never} says why it is not running\n`,
      })
    }
  })

  test('is refused at once if an agent replaced it with a pipe', () => {
    const home = testHome()
    const id = created(home, 'A task')
    const path = join(home.path, 'tasks', id, 'artifacts/KNOWLEDGE.md')
    mkdirSync(dirname(path), { recursive: true })
    expect(run('mkfifo', [path]).code).toBe(0)
    expect(home.fleet(['task', id, 'knowledge'])).toMatchObject({ code: 1, stdout: '' })
  })

  test('suggests the nearest name for an unknown one', () => {
    const home = testHome()
    const { code, stderr } = home.fleet(['task', created(home, 'A task'), 'evnts'])
    expect({ code, near: stderr.includes('did you mean events?') }).toEqual({ code: 2, near: true })
    expect(home.fleet(['task', 'nothing-x', 'log']).code).toBe(4)
  })

  const script = findProgram('script', process.env)
  test.skipIf(!hasScript)('is readable and harmless on a terminal', () => {
    const home = testHome()
    const id = created(home, 'A task')
    put(home, id, 'events.jsonl', `${JSON.stringify({ kind: 'text', text: 'red \u001b[31malert' })}\n`)
    put(home, id, 'attempts/1/stderr.log', 'bell \u0007 and \u001b]0;owned\u0007 title')
    const shown = (name: string) =>
      run(script ?? '', ['-qec', `'${process.execPath}' '${FLEET}' task ${id} ${name}`, '/dev/null'], {
        env: { FLEET_HOME: home.path, NO_COLOR: '1' },
      }).stdout
    expect(shown('events')).toBe('red alert\r\n')
    expect(shown('events --raw')).toBe(`${JSON.stringify({ kind: 'text', text: 'red \u001b[31malert' })}\r\n`)
    expect(shown('stderr')).toBe('bell  and  title\r\n')
  })
})

test('-f keeps following after a truncation, in a new file of that name, and in a new attempt', async () => {
  const home = testHome()
  const id = created(home, 'A task')
  const first = put(home, id, 'attempts/1/stdout.jsonl', 'one\n')
  const child = spawn(process.execPath, [FLEET, 'task', id, 'output', '-f'], {
    env: { ...scrubbed(), FLEET_HOME: home.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  const seen = (wanted: string) =>
    new Promise<void>((resolve) => {
      const look = (): void => {
        if (!text.includes(wanted)) return
        child.stdout.off('data', look)
        resolve()
      }
      child.stdout.on('data', look)
      look()
    })
  child.stdout.setEncoding('utf8').prependListener('data', (more: string) => {
    text += more
  })
  await seen('one\n')
  appendFileSync(first, 'two\n')
  await seen('two\n')
  truncateSync(first)
  appendFileSync(first, '3\n')
  await seen('3\n')
  writeFileSync(`${first}.new`, 'four\n')
  renameSync(`${first}.new`, first)
  await seen('four\n')
  put(home, id, 'attempts/2/stdout.jsonl', 'five\n')
  await seen('five\n')
  expect(text).toBe('one\ntwo\n3\nfour\nfive\n')
})

const OF_ALL = 'fleet does not know which changes are of this task: those of others may be among these\n'

describe('the diff of a task', () => {
  function git(cwd: string, ...argv: string[]): string {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false']
    const { code, stdout, stderr } = run('git', [...identity, ...argv], { cwd })
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }

  test('shows what changed in the checkout since before its first attempt', () => {
    const home = testHome()
    const id = created(home, 'A task')
    git(home.project, 'init', '-q')
    writeFileSync(join(home.project, 'a.txt'), 'before\n')
    writeFileSync(join(home.project, 'b.txt'), 'b\n')
    git(home.project, 'add', '.')
    git(home.project, 'commit', '-qm', 'one')
    const head = git(home.project, 'rev-parse', 'HEAD')
    put(home, id, 'attempts/1/launch.json', JSON.stringify({ base: { kind: 'git', root: home.project, head } }))
    writeFileSync(join(home.project, 'a.txt'), 'after\n')
    git(home.project, 'commit', '-qam', 'two')
    const second = git(home.project, 'rev-parse', 'HEAD')
    put(home, id, 'attempts/2/launch.json', JSON.stringify({ base: { kind: 'git', root: home.project, head: second } }))
    writeFileSync(join(home.project, 'new.txt'), 'new\n')
    const { code, stdout, stderr } = home.fleet(['task', id, 'diff'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: OF_ALL })
    expect(stdout).toContain('-before\n+after\n')
    const added = home.fleet(['task', id, 'diff', '--attempt', '2']).stdout
    expect(added).toMatch(/^diff --git a\/new\.txt b\/new\.txt\nnew file mode 100644\n[\s\S]*\+new\n$/)
    expect(stdout.endsWith(added)).toBe(true)
    expect(JSON.parse(home.fleet(['task', id, 'diff', '--attempt', '2', '--json']).stdout)).toEqual({
      schema_version: 1,
      root: home.project,
      since: second,
      diff: added,
      new_files: ['new.txt'],
      left_out: [],
      on_top: [],
      is_of_all: true,
      others: [],
    })
    rmSync(join(home.project, 'b.txt'))
    const deletion = home.fleet(['task', id, 'diff', '--attempt', '2']).stdout
    expect(deletion).toContain('deleted file mode 100644')
    expect(deletion).toContain('--- a/b.txt\n+++ /dev/null\n')
  })

  test('uses the git settings of the environment, but not the repository of a surrounding hook', () => {
    const home = testHome()
    const id = created(home, 'A task')
    git(home.project, 'init', '-q')
    writeFileSync(join(home.project, 'a.txt'), 'before\n')
    git(home.project, 'add', '.')
    git(home.project, 'commit', '-qm', 'one')
    const head = git(home.project, 'rev-parse', 'HEAD')
    put(home, id, 'attempts/1/launch.json', JSON.stringify({ base: { kind: 'git', root: home.project, head } }))
    writeFileSync(join(home.project, 'a.txt'), 'after\n')
    // Git refuses to read another user's checkout unless told it is safe; a container does that in the environment.
    if (process.getuid?.() === 0) chownSync(home.project, 12345, 12345)
    const env = {
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: home.project,
      GIT_CONFIG_KEY_1: 'diff.noprefix',
      GIT_CONFIG_VALUE_1: 'true',
      GIT_DIR: '/nowhere/.git',
      GIT_INDEX_FILE: '/nowhere/.git/index',
    }
    const { code, stdout, stderr } = home.fleet(['task', id, 'diff'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: OF_ALL })
    expect(stdout).toContain('--- a.txt\n+++ a.txt\n')
  })

  test('shows every file that git knows in a checkout without a commit', () => {
    const home = testHome()
    const id = created(home, 'A task')
    git(home.project, 'init', '-q')
    put(home, id, 'attempts/1/launch.json', JSON.stringify({ base: { kind: 'git', root: home.project, head: null } }))
    writeFileSync(join(home.project, 'a.txt'), 'first\n')
    git(home.project, 'add', '.')
    expect(home.fleet(['task', id, 'diff']).stdout).toContain('+first\n')
  })

  test('is refused with the reason without git, or with a base that does not exist', () => {
    const home = testHome()
    const id = created(home, 'A task')
    expect(home.fleet(['task', id, 'diff'])).toMatchObject({ code: 4, stdout: '' })
    put(home, id, 'attempts/1/launch.json', JSON.stringify({ base: { kind: 'folder', cwd: home.project } }))
    expect(home.fleet(['task', id, 'diff'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'fleet: its directory was no git checkout, so there is no diff\n  the receipt names the files that changed\n',
    })
    put(
      home,
      id,
      'attempts/1/launch.json',
      JSON.stringify({ base: { kind: 'git', root: '/', head: '--output=/tmp/x' } }),
    )
    expect(home.fleet(['task', id, 'diff'])).toMatchObject({ code: 1, stdout: '' })
  })
})

test('--help lists the running tasks, with coder and model', () => {
  const home = testHome()
  expect(home.fleet(['task', '--help']).stdout).toMatch(/\nNothing is running\.\n$/)
  const [one, two] = [created(home, 'A task'), created(home, 'A task')]
  started(home, one)
  started(home, two, { coder: 'shell', model: null })
  expect(home.fleet(['task', '--help']).stdout).toContain(`\nRunning:\n  ${one}  [claude/sonnet]\n  ${two}  [shell]\n`)
  expect(run(process.execPath, [FLEET, 'task', '--help'], { env: { FLEET_HOME: join(home.path, 'none') } }).code).toBe(
    0,
  )
})
