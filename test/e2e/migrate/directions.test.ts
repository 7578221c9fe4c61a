import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeWithPostgres } from '../../support/postgres.ts'
import { bd, quickBd, realBd, withRealBd } from '../../support/real-bd.ts'
import { exported, filledHome, type MovingHome, movingHome } from './tasks.ts'

const move = (home: MovingHome, to: string) => JSON.parse(home.said('queue', 'migrate', '--to', to, '--json'))
const configured = (home: MovingHome) =>
  /^queue = "(.*)"$/m.exec(readFileSync(join(home.path, 'runtime.toml'), 'utf8'))?.[1]
/** What is kept beside the tasks. */
const kept = (home: MovingHome) => [
  JSON.parse(home.said('bd', 'kv', 'list', '--json')),
  home.said('bd', 'config', 'get', 'status.custom').trim(),
]
const keep = (home: MovingHome): void => {
  home.said('bd', 'remember', 'a "memory"\nof two lines', '--key', 'one')
  home.said('bd', 'kv', 'set', 'port', '5432')
  home.said('bd', 'config', 'set', 'status.custom', 'in_review:wip')
}
const history = (home: MovingHome) => JSON.parse(home.said('bd', 'history', 'fleet-bbb', '--json'))
const kind = (home: MovingHome) =>
  JSON.parse(home.said('queue', 'migrate', '--to', 'local', '--dry-run', '--json')).from.queue

describeWithPostgres('migrating between fleet.db and a server', (server) => {
  test('moves everything, keeps the old queue, and can return with later changes', () => {
    const home = filledHome()
    const url = server.newUrl()
    keep(home)
    const beside = kept(home)
    const before = { tasks: exported(home), history: history(home), ready: home.said('ready') }
    const plan = JSON.parse(home.said('queue', 'migrate', '--to', url, '--dry-run', '--json'))
    expect(plan).toMatchObject({
      moved: false,
      dry_run: true,
      tasks: 9,
      comments: 3,
      dependencies: 3,
      stays_behind: [],
    })
    expect([configured(home), exported(home)]).toEqual(['local', before.tasks])

    const moved = home.said('queue', 'migrate', '--to', url)
    expect(moved).toMatch(/^Moved 9 tasks \(4 open, .*\), 3 dependencies, 3 comments, \d+ entries of history\n/)
    expect(moved).toContain(`Kept as it was: ${join(home.path, 'fleet.db')}\n`)
    expect(configured(home)).toBe(url)
    expect({ tasks: exported(home), history: history(home), ready: home.said('ready') }).toEqual(before)
    expect(kept(home)).toEqual(beside)
    expect(home.said('queue', 'migrate', '--to', url)).toContain('already: 9 tasks')
    const other = server.newUrl()
    expect(move(home, other)).toMatchObject({ moved: true, from: { queue: 'postgres' }, to: { queue: 'postgres' } })
    expect({ tasks: exported(home), history: history(home), ready: home.said('ready') }).toEqual(before)

    home.said('bd', 'close', 'fleet-ggg', '--reason', 'on the server')
    home.said('bd', 'create', 'On the server')
    const after = { tasks: exported(home), history: history(home) }
    const back = move(home, 'local')
    expect(back).toMatchObject({ moved: true, tasks: 10, from: { queue: 'postgres' }, to: { queue: 'local' } })
    expect({ tasks: exported(home), history: history(home) }).toEqual(after)
    expect(kept(home)).toEqual(beside)
    expect(configured(home)).toBe('local')
    expect(back.set_aside).toEqual([expect.stringMatching(/backups\/before-migrate-\w+\.db$/)])
    expect(existsSync(back.set_aside[0])).toBe(true)
    home.said('config', 'set', `queue=${other}`)
    expect(exported(home)).toEqual(after.tasks)

    // Tasks added to fleet.db while the home used the server are set aside, and can be imported.
    home.said('config', 'set', 'queue=local')
    home.said('bd', 'create', 'only in fleet.db')
    home.said('config', 'set', `queue=${other}`)
    const again = move(home, 'local')
    expect(again.stays_behind).toEqual([`11 tasks of ${home.path}/fleet.db, set aside in ${home.path}/backups`])
    expect(exported(home)).toEqual(after.tasks)
    const lines = again.set_aside.find((path: string) => path.endsWith('.jsonl'))
    home.said('bd', 'import', lines)
    expect(home.said('bd', 'list')).toContain('only in fleet.db')
  })

  test('questions, answers and failures move with the tasks to a shared queue and back', async () => {
    const home = movingHome()
    const asks = 'if [ -e asked ]; then exit 3; fi; touch asked; fleet ask "Which one?"'
    const id = home.said('bd', 'create', 'ask first', '--coder', 'shell', '-d', asks, '--silent').trim()
    home.fleet(['run', '--once'])
    expect(home.said('questions')).toContain('Which one?')
    const url = server.newUrl()
    const other = movingHome({}, ['--queue', url])
    // Records must arrive together with the tasks: a running supervisor starts a task as soon as it sees it.
    const schema = new URL(url).searchParams.get('schema')
    await server.query(`create function ${schema}.no() returns trigger language plpgsql as $$ begin
      perform pg_terminate_backend(pg_backend_pid()); return null; end $$`)
    await server.query(`create trigger no before insert on ${schema}.task_record execute function ${schema}.no()`)
    expect(home.fleet(['queue', 'migrate', '--to', url])).toMatchObject({ code: 7, stdout: '' })
    expect(await server.query(`select id from ${schema}.task`)).toEqual([])
    await server.query(`drop trigger no on ${schema}.task_record`)
    move(home, url)
    expect(other.said('questions')).toContain(`${id}  ask first`)
    expect(other.said('answer', id, 'the left one')).toContain('is open again')
    // The task fails there once before that machine stops.
    other.said('config', 'set', 'max_attempts=1')
    expect(other.fleet(['run', '--once']).code).toBe(1)
    move(home, 'local')
    expect(home.said('questions')).not.toContain('Which one?')
    const shown = JSON.parse(home.said('show', id, '--json'))
    expect(shown).toMatchObject({ data: [{ id, status: 'blocked' }], fleet: { attempts_elsewhere: 1, question: null } })
    move(home, server.newUrl())
    expect(JSON.parse(home.said('show', id, '--json'))).toMatchObject({ fleet: { attempts_elsewhere: 1 } })
  })

  test('the number of a deleted child is not reused', () => {
    const home = movingHome()
    const id = home.said('bd', 'q', 'parent').trim()
    home.said('bd', 'delete', home.said('bd', 'create', 'child', '--parent', id, '--silent').trim(), '--force')
    const url = server.newUrl()
    move(home, url)
    expect(home.said('bd', 'create', 'child', '--parent', id, '--silent').trim()).toBe(`${id}.2`)
  })
})

describe.skipIf(realBd === '')('migrating into beads and out of it', { timeout: 280_000 }, () => {
  test("the configuration leaves beads too, and the keys of bd's own stay behind by name", () => {
    const home = movingHome(withRealBd(quickBd()), ['--queue', 'beads'])
    // bd keeps some of them in its database and the others in a file.
    const configuration = {
      'custom.team': 'shop',
      'create.require-description': 'true',
      'lint.sections.bug': 'Steps',
      'lint.sections.incident': 'Impact',
      'list.limit': '7',
      'prime.max-memories': '3',
      'types.custom': 'incident',
      'validation.on-close': 'warn',
    }
    home.said('bd', 'config', 'set-many', ...Object.entries(configuration).map(([key, value]) => `${key}=${value}`))
    home.said('bd', 'kv', 'set', 'port', '5432')
    bd(join(home.path, '.beads'), ['config', 'set', 'jira.url', 'https://jira.example.com'])
    expect(move(home, 'local')).toMatchObject({ moved: true, stays_behind: ["jira.url of bd's configuration"] })
    const moved = JSON.parse(home.said('bd', 'config', 'list', '--json'))
    expect(moved).toMatchObject(configuration)
    expect(moved).not.toHaveProperty(['validation.on-create'])
    expect(JSON.parse(home.said('bd', 'kv', 'list', '--json'))).toMatchObject({ port: '5432' })
  })

  describeWithPostgres('on a machine with a server', (server) => {
    test('every task stays the same in every direction', () => {
      const home = filledHome(withRealBd(quickBd()))
      const change = (title: string): unknown => {
        home.said('bd', 'update', 'fleet-bbb', '--title', title)
        return exported(home)
      }
      keep(home)
      const first = exported(home)
      const [values] = kept(home)

      const toBeads = move(home, 'beads')
      expect(toBeads).toMatchObject({
        moved: true,
        tasks: 9,
        stays_behind: [expect.stringMatching(/entries of history$/)],
      })
      expect(exported(home)).toEqual(first)
      expect(kept(home)).toEqual([values, expect.stringContaining('in_review:wip')])
      expect(toBeads.set_aside).toEqual([expect.stringMatching(/before-migrate-\w+\.db$/)])

      const inBeads = change('in beads')
      const url = server.newUrl()
      expect(move(home, url)).toMatchObject({ moved: true, from: { queue: 'beads' }, tasks: 9 })
      expect(exported(home)).toEqual(inBeads)
      expect(existsSync(join(home.path, '.beads/metadata.json'))).toBe(true)

      const onServer = change('on the server')
      expect(move(home, 'beads')).toMatchObject({ moved: true, from: { queue: 'postgres' } })
      expect(exported(home)).toEqual(onServer)
      expect(configured(home)).toBe('beads')

      const again = change('in beads again')
      expect(move(home, 'local')).toMatchObject({ moved: true, from: { queue: 'beads' } })
      expect(exported(home)).toEqual(again)
      expect(kept(home)).toEqual([values, expect.stringContaining('in_review:wip')])
      expect(kind(home)).toBe('local')
      expect(existsSync(join(home.path, '.beads'))).toBe(false)
      // The second bd database replaced the first, and fleet.db replaced the second.
      expect(readdirSync(home.path).filter((name) => name.startsWith('.beads-'))).toHaveLength(2)
      expect(home.said('doctor')).not.toContain('fail')
    })
  })
})
