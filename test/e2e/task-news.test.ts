import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stubAs, stubBlock } from '../stub-agent/stub-as.ts'
import { FLEET, type Ran, type RunOptions, runBeside, temporaryFolder, testHome } from '../support/cli.ts'
import { describeWithPostgres } from '../support/postgres.ts'
import { realBd } from '../support/real-bd.ts'
import { healthy, init, result, tool, until } from '../support/supervisor.ts'
import { beadsHome } from './beads/home.ts'

interface AnyHome {
  readonly path: string
  readonly project: string
  readonly env?: NodeJS.ProcessEnv
  fleet(argv: readonly string[], options?: RunOptions): Ran
}

/** A home with the stub in place of claude, and commands that must succeed. */
function withStub(home: AnyHome) {
  const stub = stubAs('claude')
  const path = home.env?.['PATH'] ?? process.env['PATH'] ?? ''
  const env = { PATH: `${stub.folder}${delimiter}${path}` }
  const fleet = (...argv: readonly string[]): string => {
    const ran = home.fleet(argv, { env })
    expect({ argv, code: ran.code, stderr: ran.stderr }).toEqual({ argv, code: 0, stderr: '' })
    return ran.stdout
  }
  let projects = 0
  return {
    fleet,
    run: (...argv: readonly string[]): Ran => home.fleet(argv, { env }),
    stub,
    create(title: string, description: string, ...flags: readonly string[]): string {
      const project = join(home.project, `p${++projects}`)
      mkdirSync(project)
      return JSON.parse(fleet('bd', 'create', title, '-d', description, '--cwd', project, ...flags, '--json')).data.id
    },
    prompt: (id: string, attempt: number): string =>
      readFileSync(join(home.path, 'tasks', id, 'attempts', String(attempt), 'prompt.md'), 'utf8'),
  }
}

const asks = [
  init,
  tool({ fleet: ['bd', 'comment', '$FLEET_TASK_ID', 'I, the agent, wonder about the port'] }),
  tool({ fleet: ['bd', 'note', '$FLEET_TASK_ID', 'port unknown, says the agent'] }),
  tool({ fleet: ['ask', 'Which port?'] }),
  result(),
]

const asksAgain = [init, tool({ fleet: ['ask', 'Which port?'] }), result()]

const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g

/** The same on every queue: changes of people reach the next prompt, and nothing that is not new. */
function newsOnAnyQueue(makeHome: () => AnyHome): void {
  test('a resumed session learns what people changed since, marked as theirs, and only that; so does a retry with a note', () => {
    const { create, fleet, run, prompt, stub } = withStub(makeHome())
    fleet('config', 'set', 'max_attempts=1')
    const id = create('Add a search box', stubBlock([asks, asksAgain, healthy('x.txt')]), '--design', 'As before')
    const failed = create('Fails', stubBlock([[init, result('no')], healthy('x.txt')]))
    fleet('bd', 'comment', id, 'An old comment')
    expect(run('run', '--once').code).not.toBe(0)
    expect(prompt(id, 1).replace(TIME, 'THEN')).toContain('\n\n## Comments\ntester, THEN:\nAn old comment\n\n## How')

    expect(run('retry', failed, '--note', ' ').code).toBe(2)
    expect(fleet('retry', failed, '--note', 'The server is up again')).toBe(
      `${failed} is open, with a fresh set of attempts\n`,
    )
    expect(fleet('bd', 'comments', failed)).toContain('The server is up again')
    const other = create('Make the index', 'true', '--coder', 'shell')
    fleet('bd', 'comment', id, 'Only on the start page')
    fleet('bd', 'update', id, '--title', 'Add a small search box', '--acceptance', 'It finds umlauts')
    fleet('bd', 'update', id, '--append-notes', 'The designer is away')
    fleet('bd', 'dep', 'add', id, other)
    fleet('answer', id, '8080')
    run('run', '--once')
    expect(prompt(failed, 2)).toContain('The server is up again')
    expect(
      stub
        .starts()
        .filter(({ task }) => task === id)
        .at(-1)
        ?.argv.join(' '),
    ).toContain('--resume')
    const second = prompt(id, 2).replace(TIME, 'THEN')
    expect(second.split(/\n\n(?=## )/).slice(0, 4)).toEqual([
      `Continue with task ${id}: Add a small search box (attempt 2).`,
      '## Answers\nQ: Which port?\nA: 8080',
      `## From a person, new since your last attempt: it overrides what you were told before
The title is now: Add a small search box

### Acceptance criteria, as it is now
It finds umlauts

### Notes, added
The designer is away

### Comments
tester, THEN:
Only on the start page`,
      expect.stringMatching(
        new RegExp(`^## Done before this task, since your last attempt\n- ${other}: Make the index\n`),
      ),
    ])

    // Nothing is told twice, and a removed dependency is told.
    fleet('bd', 'dep', 'remove', id, other)
    fleet('answer', id, '8080, I said')
    fleet('run', '--once')
    const third = prompt(id, 3)
    expect(third).toContain(`The task no longer depends on ${other}.`)
    for (const old of ['umlauts', 'Only on the start page', 'designer', 'the agent', 'As before'])
      expect(third).not.toContain(old)
  })
}

describe('on the local queue', { timeout: 120_000 }, () => {
  newsOnAnyQueue(() => testHome())

  test('a changed description and design are told whole to a resumed session', () => {
    const { create, fleet, run, prompt } = withStub(testHome())
    const id = create('Add a search box', stubBlock([asks, healthy('x.txt')]), '--design', 'As before')
    run('run', '--once')
    fleet('bd', 'update', id, '--description', 'With suggestions.', '--design', '')
    fleet('answer', id, '8080')
    fleet('run', '--once')
    expect(prompt(id, 2)).toContain(
      '### Description, as it is now\nWith suggestions.\n\n### Design, as it is now\n(empty)\n\n',
    )
  })

  test('a comment made while the agent works reaches the next attempt; a comment with a secret is redacted', async () => {
    const home = testHome()
    const { create, prompt, stub } = withStub(home)
    const env = { PATH: `${stub.folder}${delimiter}${process.env['PATH']}`, MY_API_TOKEN: 'hush-hush-hush' }
    const [at, go] = ['at-work', 'go'].map((name) => join(home.path, '..', name)) as [string, string]
    const waits = tool({ touch: at }, { waitFor: go })
    const id = create('Talked to', stubBlock([[init, waits, ...asks.slice(1)], healthy('x.txt')]))
    const options = { cwd: home.project, env: { ...env, FLEET_HOME: home.path } }
    const first = runBeside(process.execPath, [FLEET, 'run', '--once'], options)
    await until(
      async () => existsSync(at),
      () => 'the agent is at work',
    )
    expect(home.bd(['comment', id, 'Use hush-hush-hush'], { env: { USER: 'ann' } }).code).toBe(0)
    writeFileSync(go, '')
    await first
    expect(home.fleet(['answer', id, '8080']).code).toBe(0)
    home.fleet(['run', '--once'], { env })
    expect(prompt(id, 2)).toMatch(/### Comments\nann, .*:\nUse \[redacted\]\n/)
  })
})

describe.skipIf(realBd === '')('on a beads queue', { timeout: 240_000 }, () => {
  newsOnAnyQueue(() => beadsHome())
})

describeWithPostgres('on a Postgres queue', (server) => {
  newsOnAnyQueue(() => testHome(temporaryFolder(), ['--queue', server.newUrl()]))
})
