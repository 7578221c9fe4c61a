import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { INSIDE } from '../../src/cli/bd/inside/inside-run.ts'
import { COMMANDS } from '../../src/cli/bd/registry.ts'
import { type Ran, testHome } from '../support/cli.ts'

/** A home with the agent's own task and another one, and `bd` as the agent calls it. */
function inRun() {
  const home = testHome()
  const make = (title: string) => home.bd(['create', title, '--silent']).stdout.trim()
  const [own, other] = [make('Own task'), make('Other task')]
  const asAgent =
    (id: string) =>
    (argv: readonly string[], more: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Ran =>
      home.bd(argv, { ...more, env: { FLEET_RUN_ID: 'run-1', FLEET_TASK_ID: id, ...more.env } })
  const words = (id = own): unknown[] => {
    const inbox = join(home.path, 'tasks', id, 'inbox')
    return readdirSync(inbox)
      .sort()
      .map((name) => JSON.parse(readFileSync(join(inbox, name), 'utf8')).item)
  }
  const task = (id: string) => JSON.parse(home.bd(['show', id, '--json']).stdout)[0]
  return { home, own, other, asAgent, bd: asAgent(own), words, task }
}

test('every bd command and subcommand has a rule for agents', async () => {
  const missing: string[] = []
  for (const { names, load } of COMMANDS) {
    const { name, subcommands } = await load()
    expect(name).toBe(names[0])
    const rule = INSIDE[name as keyof typeof INSIDE]
    for (const sub of subcommands ?? [])
      if (typeof rule !== 'string' && rule[sub.name] === undefined) missing.push(`${name} ${sub.name}`)
    if (subcommands !== undefined && typeof rule === 'string') missing.push(name)
  }
  expect(missing).toEqual([])
})

test('an agent that closes its own task only claims to be done: the task stays as it was', () => {
  const { home, own, bd, words, task } = inRun()
  const before = task(own)
  expect(bd(['close', own, '--reason', 'Fixed it'])).toEqual({
    code: 0,
    stdout: `Recorded for ${own}: you say it is done. The supervisor checks the work when you exit; stop now.\n`,
    stderr: '',
  })
  expect(bd(['done', own.replace('fleet-', ''), 'and tested']).code).toBe(0)
  expect(bd(['update', own, '--status', 'closed', '--notes', 'all green', '--json'])).toEqual({
    code: 0,
    stdout: `${JSON.stringify({ id: own, recorded: 'done', schema_version: 1 }, undefined, 2)}\n`,
    stderr: '',
  })
  expect(bd(['close', own]).code).toBe(0)
  expect(words()).toEqual([
    { kind: 'done', summary: 'Fixed it' },
    { kind: 'done', summary: 'and tested' },
    { kind: 'done', summary: 'all green' },
    { kind: 'done', summary: '' },
  ])
  expect(task(own)).toEqual(before)
  expect(home.bd(['close', own]).code).toBe(0)
})

test('setting the task to blocked with a QUESTION note asks a person', () => {
  const { own, bd, words, task } = inRun()
  expect(bd(['update', own, '--status', 'blocked', '--notes', 'QUESTION: Which database?'])).toEqual({
    code: 0,
    stdout: `Recorded for ${own}: you asked a person. Stop now, without guessing the answer; you continue when it arrives.\n`,
    stderr: '',
  })
  expect(words()).toEqual([{ kind: 'ask', text: 'Which database?', options: [] }])
  expect(task(own).status).toBe('open')
  expect(bd(['update', own, '--status', 'blocked']).code).toBe(1)
})

test('an agent that claims its own task changes nothing', () => {
  const { own, bd, task } = inRun()
  const before = task(own)
  for (const flags of [['--status', 'in_progress'], ['--claim']]) {
    expect(bd(['update', own, ...flags])).toEqual({
      code: 0,
      stdout: `${own} is yours already: the supervisor holds it for you while you run\n`,
      stderr: '',
    })
  }
  expect(task(own)).toEqual(before)
})

test('an agent can add notes to its own task and comments to any task, under its own name', () => {
  const { home, own, other, bd, task } = inRun()
  home.bd(['update', own, '--notes', 'from a person'])
  expect(bd(['update', own, '--notes', 'from the agent', '--actor', 'ann']).code).toBe(0)
  expect(bd(['update', own, '--append-notes', 'more'], { env: { BD_ACTOR: 'ann' } }).code).toBe(0)
  expect(bd(['note', own, 'and', 'a', 'word']).code).toBe(0)
  expect(task(own).notes).toBe('from a person\nfrom the agent\nmore\nand a word')
  expect(bd(['comment', other, 'seen']).code).toBe(0)
  expect(bd(['comments', 'add', own, 'here too', '--author', 'ann']).code).toBe(1)
  const comments = JSON.parse(home.bd(['comments', other, '--json']).stdout)
  expect(comments).toMatchObject([{ author: `agent:${own}`, text: 'seen' }])
})

test('an agent cannot settle, reassign or rewrite a task', () => {
  const { home, own, other, bd, task } = inRun()
  const before = [task(own), task(other)]
  const refused = [
    ['close', other],
    ['close', own, other],
    ['done', other, 'why'],
    ['reopen', own],
    ['delete', other, '--force'],
    ['import', '-'],
    ['update', other, '--status', 'closed'],
    ['update', other, '--claim'],
    ['update', other, '--notes', 'x'],
    ['update', own, '--status', 'open'],
    ['update', own, '--priority', '0'],
    ['update', own, '--assignee', ''],
    ['update', own, '--title', 'x'],
    ['update', own, '--description', 'x'],
    ['update', own, '--add-label', 'x'],
    ['update', own, '--coder', 'shell'],
    ['update', own, '--metadata', '{}'],
    ['note', other, 'x'],
    ['assign', own, 'ann'],
    ['assign', other, 'ann', '--force'],
    ['defer', own],
    ['defer', other, '--until', 'tomorrow'],
    ['undefer', other],
    ['epic', 'close-eligible'],
    ['label', 'add', own, 'x'],
    ['label', 'propagate', own, 'x'],
    ['ready', '--claim'],
    ['dep', 'add', other, own],
    ['dep', own, '--blocks', other],
    ['dep', 'add', '--file', '-'],
    ['dep', 'relate', own, other],
  ]
  for (const argv of refused) {
    const ran = bd(argv)
    expect([argv, ran.code, ran.stderr.includes('\nHint: ')]).toEqual([argv, 1, true])
  }
  expect([task(own), task(other)]).toEqual(before)
  expect(bd(['close', other]).stderr).toBe(
    `Error: ${other} is not your task (that is ${own}): it was not closed\nHint: fleet bd comment <id> "<text>" tells people about a task; fleet ask "<question>" asks them\n`,
  )
  expect(home.bd(['update', other, '--claim']).code).toBe(0)
})

test('an agent can read every task', () => {
  const { own, bd } = inRun()
  for (const argv of [
    ['list'],
    ['show', own],
    ['ready'],
    ['blocked'],
    ['search', 'Own'],
    ['count'],
    ['stats'],
    ['where'],
    ['children', own],
    ['epic', 'status'],
    ['history', own],
    ['ping'],
    ['prime'],
    ['query', 'status=open'],
    ['stale'],
  ])
    expect([argv, bd(argv).code]).toEqual([argv, 0])
  expect(bd(['dep', 'tree', own]).code).toBe(0)
  expect(bd(['comments', own]).code).toBe(0)
})

test("a task that an agent creates belongs to the agent's project and records where it was discovered", () => {
  const { home, own, other, bd, task } = inRun()
  const elsewhere = join(home.path, '..')
  const sub = join(home.project, 'sub')
  mkdirSync(sub)
  const ids = [
    bd(['create', 'Found', '--silent'], { cwd: elsewhere }),
    bd(['q', 'Quick'], { cwd: elsewhere }),
    bd(['new', 'Below', '--silent', '--cwd', sub, '--deps', `discovered-from:${own},depends-on:${other}`]),
    bd(['create', 'Child', '--silent', '--parent', own]),
  ].map((ran) => ran.stdout.trim())
  const shown = ids.map((id) => {
    const { title, created_by, metadata, dependencies } = task(id)
    const edges = dependencies.map(
      (edge: { id: string; dependency_type: string }) => `${edge.dependency_type} ${edge.id}`,
    )
    return { title, created_by, cwd: metadata.fleet.cwd, edges: edges.sort() }
  })
  const common = { created_by: `agent:${own}`, cwd: home.project }
  expect(shown).toEqual([
    { title: 'Found', ...common, edges: [`discovered-from ${own}`] },
    { title: 'Quick', ...common, edges: [`discovered-from ${own}`] },
    { title: 'Below', ...common, cwd: sub, edges: [`blocks ${other}`, `discovered-from ${own}`] },
    { title: 'Child', ...common, edges: [`parent-child ${own}`] },
  ])
  expect(bd(['dep', 'add', ids[0] as string, ids[1] as string]).code).toBe(0)
  expect(bd(['create', 'Next', '--silent', '--deps', `blocks:${ids[0]}`]).code).toBe(0)
})

test('a task without a project creates tasks without one', () => {
  const { home, asAgent, task } = inRun()
  home.bd(['import', '-'], { input: `${JSON.stringify({ id: 'fleet-none', title: 'No project' })}\n` })
  const id = asAgent('fleet-none')(['create', 'Found', '--silent']).stdout.trim()
  expect(task(id).metadata).toBeUndefined()
})

test('an agent cannot choose the coder, machine, assignee, directory or blockers of the tasks it creates', () => {
  const { home, own, other, bd } = inRun()
  const refused = [
    ['--coder', 'shell'],
    ['--model', 'opus'],
    ['--on', 'forge'],
    ['--scope', 'src/**'],
    ['--read-only=false'],
    ['--assignee', 'ann'],
    ['--status', 'closed'],
    ['--cwd', join(home.path, '..')],
    ['--metadata', '{"fleet":{"coder":"shell"}}'],
    ['--metadata', '{"fleet_coder":"shell"}'],
    ['--deps', `blocks:${other}`],
    ['--deps', `blocks:${own}`],
    ['--parent', other],
  ]
  for (const flags of refused) expect([flags, bd(['create', 'x', ...flags]).code]).toEqual([flags, 1])
  expect(home.bd(['count']).stdout.trim()).toBe('2')
})

test('a task that an agent creates may write where the task of its agent may, and nowhere else', () => {
  const { home, own, bd, task } = inRun()
  const sub = join(home.project, 'sub')
  mkdirSync(sub)
  expect(home.bd(['update', own, '--scope', 'src/**', '--scope', 'docs', '--read-only']).code).toBe(0)
  const ids = [['Here'], ['Below', '--cwd', sub]].map(([title = '', ...flags]) =>
    bd(['create', title, '--silent', ...flags]).stdout.trim(),
  )
  const bounds = { scope: 'src/**,docs', read_only: 'true' }
  expect(ids.map((id) => task(id).metadata.fleet)).toMatchObject([bounds, { ...bounds, cwd: sub }])
  expect(bd(['update', own, '--scope', 'x']).code).toBe(1)
  // A task in a folder of another project has no wider bounds, and no weaker sandbox, either.
  expect(home.bd(['update', own, '--scope', '', '--read-only=']).code).toBe(0)
  home.fleet(['config', 'set', `projects.${home.project}.scope=["a", "b"]`, `projects.${sub}.read_only=false`])
  home.fleet(['config', 'set', `projects.${home.project}.sandbox=required`, `projects.${sub}.sandbox=off`])
  const id = bd(['create', 'In its folder', '--silent', '--cwd', sub]).stdout.trim()
  expect(task(id).metadata.fleet).toMatchObject({ scope: 'a,b', sandbox: 'required', cwd: sub })
})

test('the number and depth of tasks that agents create are limited', () => {
  const { home, own, bd, asAgent } = inRun()
  for (let i = 0; i < 20; i++) expect(bd(['q', `task ${i}`]).code).toBe(0)
  expect(bd(['q', 'one too many'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `Error: 20 tasks were created from ${own}, and that is the limit\nHint: tell people what else there is: fleet note "<text>"\n`,
  })
  let id = home.bd(['create', 'Root', '--silent']).stdout.trim()
  const codes: (number | null)[] = []
  for (let depth = 0; depth < 4; depth++) {
    const ran = asAgent(id)(['create', `depth ${depth}`, '--silent'])
    codes.push(ran.code)
    if (ran.code === 0) id = ran.stdout.trim()
  }
  expect(codes).toEqual([0, 0, 0, 1])
})

test.each([
  ['unclaim', 'just stop: without fleet done the supervisor takes the task back'],
  ['priority', 'fleet bd comment'],
  ['edit', 'fleet bd note'],
  ['duplicate', 'say so in a comment'],
  ['supersede', 'say so in a comment'],
])('an agent cannot %s its own task or another, and is told what to do instead', (name, instead) => {
  const { own, other, bd, task } = inRun()
  const rest = { priority: ['0'], duplicate: ['--of', own], supersede: ['--with', own] }[name] ?? []
  for (const id of [own, other]) {
    const before = task(id)
    const ran = bd([name, id, ...rest])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain(`bd ${name} is not for agents`)
    expect(ran.stderr).toContain(instead)
    expect(task(id)).toEqual(before)
  }
})

test('an agent reads the configuration and changes none of it', () => {
  const { home, bd } = inRun()
  home.bd(['config', 'set', 'types.custom', 'incident'])
  expect(bd(['config', 'get', 'types.custom']).stdout).toBe('incident\n')
  for (const argv of [
    ['set', 'types.custom', 'mine'],
    ['set-many', 'types.custom=mine'],
    ['unset', 'types.custom'],
  ]) {
    expect(bd(['config', ...argv])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('people configure the queue'),
    })
  }
  expect(home.bd(['config', 'get', 'types.custom']).stdout).toBe('incident\n')
})

test('an agent keeps memories and values, short ones and not too many', () => {
  const { home, bd } = inRun()
  expect(bd(['remember', 'the tests need a database', '--key', 'db'])).toMatchObject({ code: 0 })
  expect(bd(['kv', 'set', 'port', '5432'])).toMatchObject({ code: 0 })
  expect(bd(['recall', 'db']).stdout).toBe('the tests need a database\n')
  const long = 'x'.repeat(5000)
  for (const argv of [
    ['remember', long, '--key', 'long'],
    ['kv', 'set', 'long', long],
  ]) {
    expect(bd(argv)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/bytes long, and 4096 is the limit for an agent/),
    })
  }
  expect(home.bd(['remember', long, '--key', 'long'])).toMatchObject({ code: 0 })
  const many = Array.from({ length: 200 }, (_, i) => JSON.stringify({ _type: 'memory', key: `m${i}`, value: 'x' }))
  expect(home.bd(['import', '-'], { input: `${many.join('\n')}\n` })).toMatchObject({ code: 0 })
  for (const argv of [
    ['remember', 'one more', '--key', 'more'],
    ['kv', 'set', 'more', '1'],
  ]) {
    expect(bd(argv)).toMatchObject({ code: 1, stderr: expect.stringContaining('an agent adds none beyond 200') })
  }
})

test('an agent replaces and removes no memory and no value: they may be those of people', () => {
  const { home, bd } = inRun()
  expect(home.bd(['remember', 'the tests need a database', '--key', 'db']).code).toBe(0)
  expect(home.bd(['remember', 'run the tests twice']).code).toBe(0)
  expect(home.bd(['kv', 'set', 'port', '5432']).code).toBe(0)
  const kept = () => [home.bd(['memories', '--json']).stdout, home.bd(['kv', 'list', '--json']).stdout]
  const before = kept()
  const hint = 'or tell people what is out of date: fleet note "<text>"'
  for (const [what, argv] of [
    ['memory', ['remember', 'the tests need nothing', '--key', 'db']],
    ['memory', ['remember', 'Run the tests twice!']],
    ['value', ['kv', 'set', 'port', '1']],
  ] as const) {
    expect(bd(argv)).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: there is another ${what} with this key, and inside a run no ${what} is replaced\nHint: keep yours under a new key, ${hint}\n`,
    })
  }
  for (const [why, argv] of [
    ['people remove memories', ['forget', 'db']],
    ['people remove values', ['kv', 'clear', 'port']],
  ] as const) {
    expect(bd(argv)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`not for agents: ${why}\\n.*fleet note`)),
    })
  }
  expect(bd(['remember', 'the tests need a database', '--key', 'db']).code).toBe(0)
  expect(bd(['kv', 'set', 'port', '5432']).code).toBe(0)
  expect(kept()).toEqual(before)
  expect(home.bd(['kv', 'set', 'port', '1']).code).toBe(0)
  expect(home.bd(['forget', 'db']).code).toBe(0)
})

test('an agent labels its own task and those it created, with few and short labels', () => {
  const { own, other, bd, task } = inRun()
  expect(bd(['tag', own, 'needs-review'])).toMatchObject({ code: 0 })
  expect(bd(['tag', other, 'mine'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not a task of yours') })
  const found = bd(['create', 'found', '--silent']).stdout.trim()
  expect(bd(['tag', found, 'mine'])).toMatchObject({ code: 0 })
  expect(bd(['tag', own, 'x'.repeat(61)])).toMatchObject({ code: 1 })
  for (let i = 0; i < 19; i++) bd(['tag', own, `label-${i}`])
  expect(bd(['tag', own, 'one-more'])).toMatchObject({ code: 1, stderr: expect.stringContaining('none beyond 20') })
  expect(bd(['tag', own, 'needs-review'])).toMatchObject({ code: 0 })
  expect(task(own).labels).toHaveLength(20)
  expect(task(other).labels).toBeUndefined()
})

test('an agent links only what it created, answers nothing for people, and fixes no orphans', () => {
  const { own, other, bd } = inRun()
  expect(bd(['link', other, own])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not a task that you created'),
  })
  const found = bd(['create', 'found', '--silent']).stdout.trim()
  expect(bd(['link', found, other])).toMatchObject({ code: 0 })
  expect(bd(['human', 'respond', other, 'yes'])).toMatchObject({ code: 1 })
  expect(bd(['orphans', '--fix'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('bd orphans --fix is not for agents'),
  })
})
