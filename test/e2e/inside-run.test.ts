import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DECISIONS } from '../../src/cli/commands/task-decide.ts'
import { INSIDE } from '../../src/cli/inside-run.ts'
import { COMMANDS } from '../../src/cli/registry.ts'
import { type TestHome, temporaryFolder, testHome } from '../support/cli.ts'
import { claims, init, result, testFleet, tool } from '../support/supervisor.ts'
import { created, unchanged } from '../support/tasks.ts'

test('every command and subcommand has a rule for agents', async () => {
  const missing: string[] = []
  for (const { name, load } of COMMANDS) {
    const { subcommands: named = [], flags } = await load()
    // Those of `fleet task` come after the task's id, so they are not subcommands to the command line.
    const subcommands = [...named, ...(name === 'task' ? Object.keys(DECISIONS).map((each) => ({ name: each })) : [])]
    const rules = INSIDE[name as keyof typeof INSIDE]
    if (typeof rules === 'string') {
      missing.push(...subcommands.map((sub) => `${name} ${sub.name}`))
      continue
    }
    const known = ['', ...subcommands.map((sub) => sub.name), ...flags.map((flag) => `--${flag.name}`)]
    missing.push(...subcommands.filter((sub) => !(sub.name in rules)).map((sub) => `${name} ${sub.name}`))
    // A rule for a command that does not exist hides a command without a rule.
    expect(known).toEqual(expect.arrayContaining(Object.keys(rules)))
  }
  expect(missing).toEqual([])
})

/** A home with a task, and the environment of the agent that works on it. */
function inRun(): { home: TestHome; id: string; env: NodeJS.ProcessEnv } {
  const home = testHome()
  const id = created(home, 'Its own')
  return { home, id, env: { FLEET_RUN_ID: 'run-1', FLEET_TASK_ID: id, FLEET_TASK_DIR: join(home.path, 'tasks', id) } }
}

const FOR_PEOPLE = [
  ['init'],
  ['init', '--force'],
  ['config', 'set', 'close_at=claimed'],
  ['config', 'accept'],
  ['config', 'revert'],
  ['queue', 'migrate', '--to', 'beads'],
  ['doctor', '--restore'],
  ['run'],
  ['run', '--once'],
  ['run', 'start'],
  ['run', 'stop'],
  ['run', 'restart'],
  ['run', 'drain'],
  ['pause'],
  ['pause', 'ID'],
  ['resume'],
  ['retry', 'ID'],
  ['kill', '--all'],
  ['gc'],
  ['answer', 'ID', 'yes'],
  ['tell', 'ID', 'Do it my way'],
]

const READING = [
  ['config', 'show'],
  ['ready'],
  ['run', 'status'],
  ['show', 'ID'],
  ['tasks', '--all'],
  ['hosts'],
  ['questions'],
  ['run', 'stop', '--help'],
  ['config', 'set', '--help'],
]

describe('inside a run', () => {
  test('commands for people are refused, and change nothing', () => {
    const { home, id, env } = inRun()
    const config = readFileSync(join(home.path, 'runtime.toml'), 'utf8')
    unchanged(home, () => {
      for (const argv of FOR_PEOPLE) {
        const ran = home.fleet(
          argv.map((word) => (word === 'ID' ? id : word)),
          { env },
        )
        expect({ argv, ...ran }).toMatchObject({ code: 5, stdout: '' })
        expect(ran.stderr).toMatch(/^fleet: fleet .* is for people: .*\n {2}fleet ask .*; fleet note .*\n$/)
        expect(ran.stderr).toContain(
          `fleet ${argv
            .slice(0, 2)
            .join(' ')
            .replace(/ (ID|--all|--once|--force)$/, '')} is`,
        )
      }
    })
    expect(readFileSync(join(home.path, 'runtime.toml'), 'utf8')).toBe(config)
    expect(JSON.parse(home.fleet(['run', 'status', '--json']).stdout)).toMatchObject({ running: false, paused: null })
  })

  test('an edit of its task.json is neither accepted nor reverted', () => {
    const { home, id, env } = inRun()
    unchanged(home, () => {
      for (const decision of Object.keys(DECISIONS)) {
        const ran = home.fleet(['task', id, decision], { env })
        expect(ran).toMatchObject({ code: 5, stdout: '' })
        expect(ran.stderr).toMatch(new RegExp(`^fleet: fleet task ${decision} is for people: `))
      }
    })
  })

  test('commands that only read work as usual', () => {
    const { home, id, env } = inRun()
    for (const given of READING) {
      const argv = given.map((word) => (word === 'ID' ? id : word))
      const codes = [home.fleet(argv, { env }).code, home.fleet(argv).code]
      expect({ argv, codes }).toEqual({ argv, codes: [codes[1], codes[1]] })
    }
  })

  test('the home of the run is recognised under any path', () => {
    const { home, env } = inRun()
    const link = join(temporaryFolder(), 'link')
    symlinkSync(home.path, link)
    for (const name of [link, `${home.path}/`, `${home.path}/../home`]) {
      expect(home.fleet(['pause'], { env: { ...env, FLEET_HOME: name } })).toMatchObject({ code: 5 })
    }
  })

  test('an agent may do anything in another home that it created', () => {
    const { env } = inRun()
    const own = testHome()
    const id = created(own, 'Tried out')
    const people = [['pause', id], ['resume', id], ['pause'], ['bd', 'close', id]]
    for (const argv of [['init'], ['config', 'set', 'max_concurrent=5'], ...people]) {
      expect({ argv, ...own.fleet(argv, { env }) }).toMatchObject({ code: 0, stderr: '' })
    }
    expect(own.fleet(['run', '--once'], { env })).toMatchObject({ code: 0 })
  })
})

test('an agent can neither lower the close level of its task nor stop the supervisor that judges it', async () => {
  const fleet = testFleet({ config: ['max_attempts=1', 'pid_namespace=off'] })
  const tries = [
    ['config', 'set', 'close_at=claimed'],
    ['run', 'drain'],
    ['run', 'stop'],
    ['run', 'stop', '--keep'],
    ['run', 'restart'],
  ]
  const id = fleet.create('Claims only', [
    init,
    ...tries.map((argv, i) => tool({ fleet: argv, to: `../refused-${i}.json` })),
    claims(),
    result(),
  ])
  await fleet.start()
  expect((await fleet.settled(id, 'blocked')).notes).toContain('claimed done with')
  for (const i of tries.keys()) {
    const ran = JSON.parse(readFileSync(join(fleet.home.project, `refused-${i}.json`), 'utf8'))
    expect(ran).toMatchObject({ code: 5, stderr: expect.stringContaining('is for people') })
  }
  expect(JSON.parse(fleet.fleet('run', 'status', '--json').stdout)).toMatchObject({ running: true, state: 'claiming' })
  expect(fleet.starts(id).length).toBe(1)
})
