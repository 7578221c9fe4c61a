import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NOT_SERVED } from '../../src/cli/bd/not-served.ts'
import { COMMANDS as BD_COMMANDS } from '../../src/cli/bd/registry.ts'
import { COMMANDS } from '../../src/cli/registry.ts'
import { run, testHome } from '../support/cli.ts'

const AT = '2026-01-01T00:00:00Z'
const line = (task: Record<string, unknown>) =>
  JSON.stringify({ status: 'open', priority: 2, created_at: AT, updated_at: AT, ...task })

describe('bd’s language', () => {
  test('a due date and a deferral are days of the user’s own time zone', () => {
    const home = testHome()
    const task = line({
      id: 'fleet-due',
      title: 'due',
      due_at: '2026-03-01T20:00:00Z',
      defer_until: '2026-03-02T23:30:00Z',
    })
    home.bd(['import', '-'], { input: `${task}\n` })
    const shown = (TZ: string) => home.bd(['show', 'fleet-due'], { env: { TZ } }).stdout
    expect(shown('UTC')).toContain('Due: 2026-03-01 · Deferred: 2026-03-02')
    expect(shown('Asia/Tokyo')).toContain('Due: 2026-03-02 · Deferred: 2026-03-03')
    expect(shown('America/Los_Angeles')).toContain('Created: 2026-01-01')
  })

  test('ready work of the same priority and second comes by id, and is claimed in the order of arrival', () => {
    const home = testHome()
    const tasks = ['fleet-c', 'fleet-a', 'fleet-b'].map((id) => line({ id, title: id }))
    home.bd(['import', '-'], { input: `${tasks.join('\n')}\n` })
    const ids = (argv: readonly string[]) => JSON.parse(home.bd(argv).stdout).map((task: { id: string }) => task.id)
    expect(ids(['ready', '--json'])).toEqual(['fleet-a', 'fleet-b', 'fleet-c'])
    expect(ids(['ready', '--json', '--sort', 'oldest'])).toEqual(['fleet-a', 'fleet-b', 'fleet-c'])
    expect(ids(['list', '--ready', '--json'])).toEqual(['fleet-a', 'fleet-b', 'fleet-c'])
    expect(ids(['ready', '--claim', '--json'])).toEqual(['fleet-c'])
  })

  test('the short form of a flag that is not served explains as much as the long one', () => {
    const home = testHome()
    for (const [short, long] of [
      [
        ['create', '-f', 'plan.md'],
        ['create', '--file', 'plan.md'],
      ],
      [
        ['list', '-w'],
        ['list', '--watch'],
      ],
      [
        ['show', '-w', 'x'],
        ['show', '--watch', 'x'],
      ],
    ] as const) {
      const ran = home.bd(short)
      expect(ran).toEqual(home.bd(long))
      expect(ran).toMatchObject({ code: 8, stderr: expect.stringContaining('Hint: ') })
    }
  })

  test('a neighbour of show --json can be read as an issue and as an edge', () => {
    const home = testHome()
    const make = (argv: readonly string[]) => home.bd(['create', ...argv, '--silent']).stdout.trim()
    const blocker = make(['blocker'])
    const marked = make(['marked', '--metadata', '{"team":"web"}'])
    const waiting = make(['waiting', '--deps', `${blocker},${marked}`])
    const [issue] = JSON.parse(home.bd(['show', waiting, '--json']).stdout)
    const metadata = Object.fromEntries(
      issue.dependencies.map((each: { id: string; metadata?: unknown }) => [each.id, each.metadata]),
    )
    expect(metadata).toEqual({ [blocker]: undefined, [marked]: { team: 'web' } })
    expect(issue.metadata).toHaveProperty('fleet')
  })

  test('help names every command, prints one, or prints them all', () => {
    const home = testHome()
    const list = home.bd(['help', '--list'])
    expect(list).toMatchObject({ code: 0, stderr: '' })
    expect(list.stdout.split('\n')).toEqual(expect.arrayContaining(['close', 'dep', 'remember', 'unclaim']))
    const all = home.bd(['help', '--all']).stdout
    expect(all).toMatch(/^# fleet bd: every command\n/)
    for (const heading of ['## fleet bd create', '## fleet bd dep', '### fleet bd dep add'])
      expect(all).toContain(`\n${heading}\n`)
    expect(home.bd(['help', '--doc', 'dep add']).stdout).toMatch(
      /^---\ntitle: "bd dep add"\ndescription: "Add a dependency"\n---\n/,
    )
    expect(home.bd(['help', '--doc', 'dep', 'add'])).toEqual(home.bd(['help', '--doc', 'dep add']))
    expect(home.bd(['help', 'dep', 'add']).stdout).toBe(home.bd(['dep', 'add', '--help']).stdout)
    expect(home.bd(['help', '--doc', 'frobnicate']).code).toBe(1)
  })

  test('every refusal names something that exists, or says that nothing does', async () => {
    const own = new Set(COMMANDS.map((each) => each.name))
    const bd = await Promise.all(BD_COMMANDS.map((each) => each.load()))
    const flat = bd.flatMap((command) => [command, ...(command.subcommands ?? [])])
    const hints = [...NOT_SERVED.values(), ...flat.flatMap((command) => Object.values(command.refused ?? {}))]
    const known = new Set(BD_COMMANDS.flatMap((each) => each.names))
    for (const hint of hints) {
      for (const [, word] of hint.matchAll(/\bfleet (?!(?:bd|has|reports|opens|itself|does)\b)([a-z]+)/g))
        expect(own, hint).toContain(word)
      for (const [, word] of hint.matchAll(/\bfleet bd ([a-z-]+)/g)) expect(known, hint).toContain(word)
    }
    for (const [name, hint] of NOT_SERVED) {
      expect(known, name).not.toContain(name)
      expect(hint, name).toMatch(/fleet |nothing here|not needed|nothing renames|every command|run the commands/)
    }
  })

  test('a task that is blocked or deferred is not opened by giving it back', () => {
    const home = testHome()
    const id = home.bd(['create', 'parked', '--silent', '-a', 'tester']).stdout.trim()
    for (const status of ['blocked', 'deferred']) {
      home.bd(['update', id, '--status', status])
      expect(home.bd(['unclaim', id])).toMatchObject({ code: 1, stderr: expect.stringContaining(`is ${status}`) })
      expect(JSON.parse(home.bd(['show', id, '--json']).stdout)[0]).toMatchObject({ status, assignee: 'tester' })
    }
  })

  test('an editor changes a text, and a failed one changes nothing', () => {
    const home = testHome()
    const id = home.bd(['create', 'Write it', '-d', 'old words', '--silent']).stdout.trim()
    const editor = join(home.project, 'editor')
    const edits = (body: string): { EDITOR: string } => {
      writeFileSync(editor, `#!/bin/sh\n${body}\n`)
      chmodSync(editor, 0o755)
      return { EDITOR: `${editor} --quick` }
    }
    const task = () => JSON.parse(home.bd(['show', id, '--json']).stdout)[0]
    expect(
      home.bd(['edit', id], { env: edits('grep -q "old words" "$2" && printf "new words\\n\\n" > "$2"') }),
    ).toEqual({
      code: 0,
      stdout: `✓ Updated description for issue: ${id} — Write it\n`,
      stderr: '',
    })
    expect(task().description).toBe('new words')
    expect(home.bd(['edit', id, '--title'], { env: edits('echo "A new title" > "$2"') }).stdout).toBe(
      `✓ Updated title for issue: ${id} — A new title\n`,
    )
    expect(home.bd(['edit', id], { env: edits('true') }).stdout).toBe('No changes made\n')
    expect(home.bd(['edit', id], { env: edits('exit 3') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('running editor: exit status 3'),
    })
    expect(home.bd(['edit', id, '--title'], { env: edits('echo > "$2"') })).toMatchObject({ code: 1 })
    expect(home.bd(['edit', id], { env: { EDITOR: '/no/such/editor' } })).toMatchObject({ code: 1 })
    expect(task()).toMatchObject({ description: 'new words', title: 'A new title' })
  })

  test('orphans are open issues that a commit names', () => {
    const home = testHome()
    const git = (...argv: string[]) =>
      run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...argv], { cwd: home.project })
    const [a, b, c] = ['one', 'two', 'three'].map((title) => home.bd(['create', title, '--silent']).stdout.trim())
    expect(home.bd(['orphans']).stdout).toBe('✓ No orphaned issues found\n')
    git('init', '-q')
    for (const message of [`First (${a})`, `Again (${a})`, `Done (${b})`, `Not so ${c}`])
      git('commit', '-q', '--allow-empty', '-m', message)
    home.bd(['close', b ?? ''])
    const found = home.bd(['orphans', '--json'])
    expect(JSON.parse(found.stdout)).toEqual([
      {
        issue_id: a,
        title: 'one',
        status: 'open',
        latest_commit: expect.stringMatching(/^[0-9a-f]{7,}$/),
        latest_commit_message: `Again (${a})`,
      },
    ])
    expect(home.bd(['orphans', '--label', 'none']).stdout).toBe('✓ No orphaned issues found\n')
    expect(home.bd(['orphans', '--fix'], { input: 'n\n' }).stdout).toMatch(/Canceled\.\n$/)
    expect(home.bd(['orphans', '--fix'], { input: 'y\n' }).stdout).toMatch(
      new RegExp(`✓ Closed ${a}\n\nClosed 1 issue\\(s\\)\n$`),
    )
    expect(home.bd(['orphans']).stdout).toBe('✓ No orphaned issues found\n')
  })

  test('memories come with prime, as many as its caps allow', () => {
    const home = testHome()
    expect(home.bd(['prime', '--memories-only']).stdout).toContain('None is kept yet')
    home.bd(['remember', 'run the tests with -race', '--key', 'race'])
    home.bd(['remember', 'auth uses JWT', '--key', 'auth'])
    expect(home.bd(['prime', '--memories-only']).stdout).toBe(`## Memories (2)

Kept by \`fleet bd remember "<insight>"\`; \`fleet bd memories <word>\` finds them, \`fleet bd forget <key>\` removes one.

### auth
auth uses JWT

### race
run the tests with -race
`)
    expect(home.bd(['prime']).stdout).toContain('### race\nrun the tests with -race')
    expect(home.bd(['prime', '--no-memories']).stdout).not.toContain('-race')
    home.bd(['config', 'set', 'prime.max-memories', '1'])
    const capped = home.bd(['prime']).stdout
    expect(capped).toContain('## Memories (1 of 2, by key)')
    expect(capped).toContain('1 more are not shown here')
    expect(home.bd(['prime', '--max-memories', '0']).stdout).toContain('## Memories (2)')
  })
})

describe('the hooks that bd init writes', () => {
  const call = (home: ReturnType<typeof testHome>, argv: readonly string[], input: unknown) => {
    const ran = home.bd(argv, { input: JSON.stringify(input), env: { XDG_CACHE_HOME: join(home.path, 'cache') } })
    return { code: ran.code, said: ran.stdout === '' ? undefined : JSON.parse(ran.stdout), stderr: ran.stderr }
  }

  test('codex gets the text at the start, and once more after its context was compacted', () => {
    const home = testHome()
    const session = { session_id: 's1', cwd: '/work' }
    const hook = (event: string, more = {}) => call(home, ['codex-hook', event], { ...session, ...more })
    const context = expect.stringContaining('# Tasks are kept in fleet')
    const says = (hookEventName: string) => ({
      code: 0,
      said: { continue: true, hookSpecificOutput: { hookEventName, additionalContext: context } },
      stderr: '',
    })
    expect(hook('SessionStart')).toEqual(says('SessionStart'))
    expect(hook('UserPromptSubmit')).toEqual({ code: 0, said: undefined, stderr: '' })
    expect(hook('PreCompact')).toEqual({ code: 0, said: undefined, stderr: '' })
    expect(hook('PostCompact')).toEqual({ code: 0, said: undefined, stderr: '' })
    expect(hook('UserPromptSubmit', { session_id: 's2' })).toEqual({ code: 0, said: undefined, stderr: '' })
    expect(hook('UserPromptSubmit')).toEqual(says('UserPromptSubmit'))
    expect(hook('UserPromptSubmit')).toEqual({ code: 0, said: undefined, stderr: '' })
    expect(hook('Elsewhere')).toMatchObject({ code: 1, stderr: 'Error: unsupported Codex hook event "Elsewhere"\n' })
  })

  test('cursor gets the text at the start, and once more after its context was compacted', () => {
    const home = testHome()
    const hook = (event: string) =>
      call(home, ['cursor-hook', event], { conversation_id: 'c1', workspace_roots: ['/work'] }).said
    expect(hook('sessionStart')).toEqual({
      continue: true,
      additional_context: expect.stringContaining('fleet bd ready'),
    })
    expect(hook('postToolUse')).toEqual({})
    expect(hook('preCompact')).toEqual({ user_message: expect.stringContaining('compacted') })
    expect(hook('postToolUse')).toEqual({
      continue: true,
      additional_context: expect.stringContaining('fleet bd ready'),
    })
    expect(hook('postToolUse')).toEqual({})
  })
})
