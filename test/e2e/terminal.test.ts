import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../src/platform/process/program.ts'
import { version } from '../../src/version.ts'
import { FLEET, run, scrubbed, type TestHome, temporaryFolder, testHome } from '../support/cli.ts'
import { started } from '../support/ledger.ts'
import { created } from '../support/tasks.ts'

test('-v, -V and --version print the version', () => {
  const home = testHome()
  for (const flag of ['-v', '-V', '--version', 'version']) {
    expect(home.fleet([flag])).toEqual({ code: 0, stdout: `fleet ${version}\n`, stderr: '' })
  }
})

describe('fleet help', () => {
  test('of a command is its --help, also of a subcommand and of bd', () => {
    const home = testHome()
    for (const words of [
      ['tasks'],
      ['run', 'start'],
      ['config', 'get'],
      ['bd', 'create'],
      ['bd', 'dep', 'add'],
      ['create'],
    ]) {
      const help = home.fleet(['help', ...words])
      expect([words, help]).toEqual([words, home.fleet([...words, '--help'])])
      expect(help.stdout).toContain('Usage:')
    }
    expect(home.fleet(['help', 'bd']).stdout).toBe(home.fleet(['bd', '--help']).stdout)
    expect(home.fleet(['help', 'nonsense']).code).toBe(2)
  })

  test('lists the commands for agents in a group of their own', () => {
    const { stdout } = testHome().fleet(['help'])
    const [people = '', agents = ''] = stdout.split('For agents, inside their run:\n')
    const named = (text: string) => [...text.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name)
    expect(named(agents.split('\n\n')[0] ?? '')).toEqual(['done', 'ask', 'note', 'hook'])
    expect(named(people)).not.toContain('done')
    expect(named(people)).toContain('create')
  })
})

test('`fleet create` is `fleet bd create`, with its flags and its exit codes', () => {
  const home = testHome()
  const { code, stdout } = home.fleet(['create', 'Fix the cart', '--coder', 'codex', '--json'])
  expect({ code, made: JSON.parse(stdout) }).toMatchObject({ code: 0, made: { title: 'Fix the cart' } })
  expect(home.fleet(['create'])).toEqual(home.bd(['create']))
})

describe('fleet config get', () => {
  test('prints one value in force, or the settings of a table', () => {
    const home = testHome()
    expect(home.fleet(['config', 'set', 'timeouts.idle=5m', 'coder=codex']).code).toBe(0)
    const get = (...words: string[]) => home.fleet(['config', 'get', ...words])
    expect(get('timeouts.idle')).toEqual({ code: 0, stdout: '5m\n', stderr: '' })
    expect(get('max_concurrent').stdout).toBe('3\n')
    expect(get('model').stdout).toBe('')
    expect(get('timeouts').stdout).toContain('timeouts.idle         = "5m"  (given)\n')
    expect(JSON.parse(get('coder', '--json').stdout)).toEqual({
      schema_version: 1,
      key: 'coder',
      value: 'codex',
      source: 'given',
    })
    expect(JSON.parse(get('model', '--json').stdout)).toMatchObject({ value: null, source: 'default' })
    expect(JSON.parse(get('timeouts', '--json').stdout).settings).toContainEqual({
      key: 'timeouts.idle',
      value: '5m',
      source: 'given',
    })
  })

  test('masks a secret, and refuses a key that does not exist', () => {
    const home = testHome()
    writeFileSync(
      join(home.path, 'runtime.toml'),
      '[coders.claude.env]\nANTHROPIC_API_KEY = "sk-secret"\nLEVEL = "2"\n',
    )
    const get = (key: string) => home.fleet(['config', 'get', key])
    expect(get('coders.claude.env.ANTHROPIC_API_KEY').stdout).toBe('***\n')
    expect(get('coders.claude.env.LEVEL').stdout).toBe('2\n')
    expect(get('idle')).toEqual({
      code: 4,
      stdout: '',
      stderr: 'fleet: there is no setting idle\n  did you mean timeouts.idle?\n',
    })
    expect(home.fleet(['config', 'get']).code).toBe(2)
  })
})

describe("fleet's own signs", () => {
  const shown = (env: NodeJS.ProcessEnv) => {
    const home = testHome()
    for (const title of ['One', 'Two']) started(home, created(home, title), { title: `${title} → more` })
    return home.fleet(['tasks', '--limit', '1'], { env }).stdout
  }

  test('are ASCII in a locale with another character set than UTF-8', () => {
    const text = shown({ LC_ALL: 'C' })
    expect(text).toContain('~ and more; --limit shows them')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
    expect(text).toMatch(/^[\u0000-\u007f]*$/)
  })

  test('stay as they are otherwise, and JSON always does', () => {
    expect(shown({ LC_ALL: 'C.UTF-8' })).toContain('… and more')
    const home = testHome()
    started(home, created(home, 'One'), { title: 'One → more' })
    expect(home.fleet(['tasks', '--json'], { env: { LC_ALL: 'C' } }).stdout).toContain('One → more')
  })
})

describe('completion', () => {
  const words = (home: TestHome, ...typed: string[]) =>
    home
      .fleet(['completion', 'words', '--', ...typed])
      .stdout.trimEnd()
      .split('\n')

  test('knows commands, subcommands, flags, ids, coders and keys', () => {
    const home = testHome()
    const [open, done] = [created(home, 'Open \u001b[31mone'), created(home, 'Done')]
    home.bd(['close', done])
    expect(words(home, 'ta')).toEqual(['tasks', 'task'])
    expect(words(home, 'run', 'st')).toEqual(['start', 'stop', 'status'])
    expect(words(home, 'tasks', '--w')).toEqual([expect.stringMatching(/^--watch\t/)])
    expect(words(home, 'show', '')).toEqual([`${open}\tOpen one`])
    expect(words(home, 'bd', 'close', open.slice(0, 7))).toEqual([`${open}\tOpen one`])
    expect(words(home, 'task', open, 'tr')).toEqual(['transcript'])
    expect(words(home, 'create', '--coder', 'co')).toEqual(['codex'])
    expect(words(home, 'config', 'get', 'timeouts.i')).toEqual(['timeouts.idle'])
    expect(words(home, 'config', 'set', 'max_c')).toEqual(['max_concurrent='])
    expect(words(home, 'help', 'bd', 'dep', 'cy')).toEqual(['cycles'])
    expect(words(home, 'nonsense', '')).toEqual([''])
  })

  test('says nothing, and does not fail, where there is no home', () => {
    const env = { FLEET_HOME: join(temporaryFolder(), 'none') }
    expect(run(process.execPath, [FLEET, 'completion', 'words', '--', 'show', ''], { env })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  const shells = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell
    bash: 'COMP_WORDS=(fleet config g); COMP_CWORD=2; _fleet; printf "%s|" "${COMPREPLY[@]}"',
    zsh: 'compadd() { shift $(( $# - 1 )); printf "%s |" "$1" }; words=(fleet config g); CURRENT=3; _fleet',
    fish: 'complete -C "fleet config g"',
  } as const

  test.each(Object.entries(shells))('the script of %s asks fleet', (shell, check) => {
    const program = findProgram(shell, process.env)
    const home = testHome()
    const { code, stdout } = home.fleet(['completion', shell])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('fleet completion words --') })
    if (program === undefined) return
    const bin = temporaryFolder()
    writeFileSync(join(bin, 'fleet'), `#!/bin/sh\nexec '${process.execPath}' '${FLEET}' "$@"\n`)
    chmodSync(join(bin, 'fleet'), 0o755)
    const script = join(bin, `script.${shell}`)
    const before = shell === 'zsh' ? 'compdef() { : }\n' : ''
    writeFileSync(script, `${before}${stdout}${check}\n`)
    const env = { FLEET_HOME: home.path, PATH: `${bin}:${process.env['PATH']}` }
    expect(run(program, [script], { env }).stdout.trim()).toMatch(/^get(?: \||\t|$)/)
  })
})

describe('on a terminal, `fleet tasks --watch`', () => {
  const script = findProgram('script', process.env)

  test.skipIf(script === undefined)('has a clock and totals, scrolls by keys, and ends with q', async () => {
    const home = testHome()
    for (let i = 1; i <= 12; i++) started(home, created(home, `Task ${i}`), { title: `Task ${i}.` })
    const command = `stty cols 80 rows 10; NO_COLOR=1 '${process.execPath}' '${FLEET}' tasks --watch`
    const child = spawn(script ?? '', ['-qec', command, '/dev/null'], {
      env: { ...scrubbed(), FLEET_HOME: home.path, TERM: 'xterm' },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let text = ''
    let look = (): void => {}
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      look()
    })
    const until = (pattern: RegExp) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (pattern.test(text)) resolve()
        }
        look()
      })
    await until(/\d\d:\d\d:\d\d {2}\d of 13 shown {2}\? keys {2}q quit/)
    await until(/Needs you/)
    text = ''
    child.stdin.write('G')
    await until(/Task 12\./)
    expect(text.slice(text.lastIndexOf('\u001b[H'))).not.toContain('Needs you')
    text = ''
    child.stdin.write('\u001b[5~')
    await until(/Task 1\./)
    text = ''
    child.stdin.write('?')
    await until(/PgDn, space one page down/)
    const ended = once(child, 'exit')
    child.stdin.write('q')
    expect(await ended).toEqual([0, null])
  })
})

describe('events and transcript of an attempt', () => {
  /** A task with one attempt of claude that ran a command. */
  function attempted(): { home: TestHome; id: string } {
    const home = testHome()
    const id = created(home, 'Fix the cart')
    const { id: of } = started(home, id)
    const folder = join(home.path, 'tasks', id, 'attempts', '1')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'prompt.md'), '# Task\nFix it.\n')
    const message = (content: object) => ({ type: 'assistant', message: { id: 'm', model: 'x', content: [content] } })
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'pass 3\n\u001b[31mred' }
    const lines = [
      { type: 'system', subtype: 'init', session_id: 's-1', model: 'x' },
      message({ type: 'text', text: 'I run the tests.' }),
      message({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }),
      { type: 'user', message: { content: [result] } },
      { type: 'result', subtype: 'success', is_error: false, result: 'All good.' },
    ].map((line) => `${JSON.stringify(line)}\n`)
    writeFileSync(join(folder, 'stdout.jsonl'), lines.join(''))
    const at = (i: number) => Buffer.byteLength(lines.slice(0, i).join(''))
    const event = (i: number, more: object) =>
      JSON.stringify({ v: 1, ts: '2026-11-15T14:00:00.000Z', attempt: 1, run: of, at: at(i), ...more })
    const events = [
      event(1, { kind: 'text', text: 'I run the tests.' }),
      event(1, { kind: 'usage', message: 'm', usage: { input: 5 } }),
      event(2, { kind: 'tool-started', id: 't1', tool: 'Bash', tool_kind: 'shell', detail: 'npm test' }),
      event(3, { kind: 'tool-ended', id: 't1', failed: false }),
      event(4, { kind: 'result', ok: true, text: 'All good.' }),
    ]
    writeFileSync(join(home.path, 'tasks', id, 'events.jsonl'), `${events.join('\n')}\n`)
    return { home, id }
  }

  const script = findProgram('script', process.env)

  test.skipIf(script === undefined)(
    'events show each tool with its input and result on a terminal, and raw lines in a pipe',
    () => {
      const { home, id } = attempted()
      const command = `stty cols 80; '${process.execPath}' '${FLEET}' task ${id} events`
      const env = { FLEET_HOME: home.path, NO_COLOR: '1', TZ: 'UTC' }
      const { stdout } = run(script ?? '', ['-qec', command, '/dev/null'], { env })
      const lines = stdout.replaceAll('\r', '').trimEnd().split('\n')
      expect(lines.map((line) => line.replace(/^\S+(?: \d\d:\d\d)? #1 {2}/, ''))).toEqual([
        'I run the tests.',
        'Bash  npm test',
        '  = pass 3',
        expect.stringMatching(/^ +red$/),
        'end of the turn: All good.',
      ])
      expect(home.fleet(['task', id, 'events']).stdout.split('\n')).toHaveLength(6)
    },
  )

  test('the transcript is a conversation', () => {
    const { home, id } = attempted()
    const { code, stdout } = home.fleet(['task', id, 'transcript'])
    expect({ code, text: stdout.split('\n').slice(1).join('\n') }).toEqual({
      code: 0,
      text: `
fleet:
  # Task
  Fix it.

claude (sonnet):
  I run the tests.
  * Bash: npm test
    pass 3
    red
`,
    })
    expect(JSON.parse(home.fleet(['task', id, 'transcript', '--json']).stdout)).toMatchObject({
      task: id,
      attempt: 1,
      coder: 'claude',
      turns: [
        { kind: 'prompt', text: '# Task\nFix it.\n' },
        { kind: 'said', text: 'I run the tests.', subagent: false },
        { kind: 'tool', id: 't1', name: 'Bash', detail: 'npm test' },
        { kind: 'output', id: 't1', failed: false, text: 'pass 3\n\u001b[31mred' },
        { kind: 'ended', ok: true, text: 'All good.' },
      ],
    })
    expect(home.fleet(['task', id, 'transcript', '-f']).code).toBe(2)
    expect(home.fleet(['task', id, 'transcript', '--attempt', '2']).code).toBe(4)
  })
})

describe('a dependency of a running task', () => {
  const warning = (id: string, on: string) =>
    `warning: ${id} is running: its agent goes on, and ${on} counts from its next attempt (fleet kill ${id} ends this one)\n`

  test('is added with a warning, one by one and from a file', () => {
    const home = testHome()
    const [running, other, idle, third] = ['Running', 'Other', 'Idle', 'Third'].map((title) =>
      created(home, title),
    ) as [string, string, string, string]
    started(home, running)
    expect(home.bd(['dep', 'add', idle, other])).toMatchObject({ code: 0, stderr: '' })
    expect(home.bd(['dep', 'add', running, other, '--type', 'related'])).toMatchObject({ code: 0, stderr: '' })
    expect(home.bd(['dep', 'add', running, third])).toMatchObject({ code: 0, stderr: warning(running, third) })
    // It is held up already.
    expect(home.bd(['dep', 'add', running, idle])).toMatchObject({ code: 0, stderr: '' })
    const second = created(home, 'Second')
    started(home, second)
    const file = `${JSON.stringify({ from: second, to: other })}\n`
    expect(home.bd(['dep', 'add', '--file', '-'], { input: file })).toMatchObject({
      code: 0,
      stderr: warning(second, other),
    })
  })
})
