import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Ran, type TestHome, testHome } from '../support/cli.ts'
import { testFleet, until } from '../support/supervisor.ts'

function fifo(path: string): void {
  rmSync(path, { recursive: true, force: true })
  expect(spawnSync('mkfifo', [path]).status).toBe(0)
}

const instead =
  (put: (path: string) => void) =>
  (path: string): void => {
    rmSync(path, { recursive: true, force: true })
    put(path)
  }

function linkToPipe(path: string): void {
  fifo(`${path}-pipe`)
  symlinkSync(`${path}-pipe`, path)
}

function huge(path: string): void {
  writeFileSync(path, '')
  truncateSync(path, 5e9)
}

/** Things that are no files, or too large ones; opening some of them waits for ever. */
const ODD: readonly [string, (path: string) => void][] = [
  ['a pipe', fifo],
  ['a directory', instead((path) => mkdirSync(path))],
  ['a link to a device', instead((path) => symlinkSync('/dev/zero', path))],
  ['a link to a pipe', instead(linkToPipe)],
  ['a link to itself', instead((path) => symlinkSync(path, path))],
  ['5 GB', instead(huge)],
]

/** It has ended by itself, and with an exit status of fleet's. */
function returned({ code, stderr }: Ran): void {
  expect({ code, stderr }).toEqual({
    code: expect.any(Number),
    stderr: expect.not.stringMatching(/\n +at |RangeError/),
  })
}

describe('in place of runtime.toml', () => {
  for (const [name, put] of ODD) {
    test(`${name}: every command says so and returns`, () => {
      const home = testHome()
      put(join(home.path, 'runtime.toml'))
      for (const argv of [['config', 'show'], ['config', 'set', 'max_concurrent=2'], ['run', '--once'], ['ready']]) {
        const ran = home.fleet(argv)
        returned(ran)
        expect([argv, ran.code === 0, ran.stderr]).toEqual([argv, false, expect.stringContaining('runtime.toml')])
      }
      for (const argv of [['doctor'], ['init'], ['tasks']]) returned(home.fleet(argv))
    })
  }

  test('a link to a file, as a manager of dotfiles makes it, is read and edited, and stays a link', () => {
    const home = testHome()
    const [config, kept] = [join(home.path, 'runtime.toml'), join(home.project, 'kept.toml')]
    renameSync(config, kept)
    symlinkSync(kept, config)
    expect(home.fleet(['config', 'set', 'max_concurrent=7'])).toMatchObject({ code: 0 })
    expect(home.fleet(['config', 'show']).stdout).toContain('max_concurrent                 = 7  (given)')
    expect(readFileSync(kept, 'utf8')).toContain('max_concurrent = 7')
  })

  const toSelf = (path: string): void => symlinkSync(path, path)
  test.each([
    ['a pipe', fifo, /is not a file/],
    ['a link to itself', toSelf, /leads to itself/],
  ] as const)('%s: a running supervisor keeps its last good configuration, and goes on', async (_, put, says) => {
    const fleet = testFleet()
    await fleet.start()
    await until(
      async () => fleet.log().some(({ event }) => event === 'supervisor-started'),
      () => 'it starts',
    )
    const config = join(fleet.home.path, 'runtime.toml')
    renameSync(config, `${config}.kept`)
    put(config)
    await until(
      async () => fleet.log().some(({ event, why }) => event === 'config-invalid' && says.test(String(why))),
      () => `it refuses that: ${JSON.stringify(fleet.log())}`,
    )
    renameSync(`${config}.kept`, config)
    const next = fleet.create('Another', 'while ! test -e ../go; do sleep 0.1; done')
    await until(
      async () => fleet.log().some(({ event, task }) => event === 'run-started' && task === next),
      () => 'it runs',
    )
    renameSync(config, `${config}.kept`)
    put(config)
    await until(
      async () => fleet.log().some(({ event, file }) => event === 'file-changed' && file === 'runtime.toml'),
      () => `it keeps what was accepted: ${JSON.stringify(fleet.log())}`,
    )
    fleet.touch('go')
    await fleet.settled(next, 'closed')
    renameSync(`${config}.kept`, config)
  })
})

describe('in place of another file of the home', () => {
  const files: readonly [string, (home: TestHome) => string][] = [
    ['the store', ({ path }) => join(path, 'fleet.db')],
    ["the supervisor's lock", ({ path }) => join(path, 'lock.db')],
    ["the supervisor's record", ({ path }) => join(path, 'supervisor.json')],
    ["the queue's lock", ({ path }) => join(path, 'queue-lock.db')],
    ['the lock for edits', ({ path }) => join(path, '.lock')],
    ['the wake file', ({ path }) => join(path, 'wake')],
    ['a log', ({ path }) => join(path, 'logging', `fleet-${new Date().toISOString().slice(0, 10)}.jsonl`)],
    ["the daemon's output", ({ path }) => join(path, 'logging', 'supervisor.out')],
    ['a backup', ({ path }) => join(path, 'backups', 'fleet-20990101T000000.000Z.db')],
    ["the agents' command", ({ path }) => join(path, 'bin', 'fleet')],
    ["a coder's file", ({ path }) => join(path, 'coders', 'mine.mjs')],
  ]
  for (const [name, at] of files) {
    test(`a pipe as ${name} holds up no command`, () => {
      const home = testHome()
      for (const folder of ['bin', 'coders']) mkdirSync(join(home.path, folder), { mode: 0o700, recursive: true })
      const made = home.bd(['create', 'Task', '--coder', 'shell', '-d', 'echo done', '--silent'])
      expect(made).toMatchObject({ code: 0 })
      home.bd(['create', 'Mine', '--coder', 'shell', '-d', 'echo done'])
      fifo(at(home))
      for (const argv of [
        ['tasks', '--all'],
        ['bd', 'list'],
        ['bd', 'create', 'Another', '--coder', 'mine'],
        ['config', 'set', 'max_concurrent=2'],
        ['run', '--once'],
        ['run', 'start'],
        ['run', 'stop'],
        ['log', '1'],
        ['doctor'],
        ['doctor', '--restore'],
        ['init'],
      ])
        returned(home.fleet(argv))
    })
  }
})
