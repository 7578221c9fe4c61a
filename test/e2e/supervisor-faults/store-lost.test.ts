import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Fleet, testFleet, until } from '../../support/supervisor.ts'

/** An agent that works until it is ended. */
const WORKS = 'echo begun; while :; do sleep 0.1; done'

async function working(): Promise<{ fleet: Fleet; id: string; home: string }> {
  const fleet = testFleet()
  const id = fleet.create('Work on', WORKS)
  await fleet.start()
  await until(
    async () =>
      fleet.runs(id)[0]?.phase === 'running' &&
      fleet.exists(id, 'attempts/1/stdout.jsonl') &&
      fleet.text(id, 'attempts/1/stdout.jsonl') !== '',
    () => `an agent works: ${JSON.stringify(fleet.runs(id))}`,
  )
  return { fleet, id, home: fleet.home.path }
}

const inHome = (home: string, name: string): string => join(home, name)

describe('a supervisor whose ledger is lost ends its agents and itself, and makes nothing again', () => {
  const losses: readonly [string, (home: string) => void, RegExp][] = [
    ['the store is removed', (home) => rmSync(inHome(home, 'fleet.db')), /the store, .*fleet\.db, is no longer there/],
    [
      'the store is replaced by another file',
      (home) => {
        writeFileSync(inHome(home, 'other'), 'not a store')
        renameSync(inHome(home, 'other'), inHome(home, 'fleet.db'))
      },
      /the store, .*fleet\.db, was replaced by another file/,
    ],
    [
      'an older copy is moved into its place',
      (home) => {
        const [backup = ''] = readdirSync(inHome(home, 'backups'))
        copyFileSync(join(home, 'backups', backup), inHome(home, 'older'))
        renameSync(inHome(home, 'older'), inHome(home, 'fleet.db'))
      },
      /was replaced by another file/,
    ],
    ['the store is cut to nothing', (home) => truncateSync(inHome(home, 'fleet.db'), 0), /was cut off/],
    ['the store is cut in half', (home) => truncateSync(inHome(home, 'fleet.db'), 16_384), /was cut off/],
    [
      'its log is removed',
      (home) => rmSync(inHome(home, 'fleet.db-wal')),
      /the log of the store, .*-wal, is no longer/,
    ],
    ['its index is removed', (home) => rmSync(inHome(home, 'fleet.db-shm')), /the index of .*-shm, is no longer there/],
    ['the home is moved', (home) => renameSync(home, `${home}-moved`), /the home, .*, is no longer there/],
    ['the home is deleted', deleteHome, /(the home|the store|the (log|index) of .*), .*, is no longer there/],
    [
      'a folder above the home is moved',
      (home) => renameSync(dirname(home), `${dirname(home)}-moved`),
      /the home, .*, is no longer there/,
    ],
    [
      'another folder stands in place of the home',
      (home) => {
        renameSync(home, `${home}-moved`)
        mkdirSync(home)
      },
      /the home, .*, was replaced by another folder/,
    ],
  ]
  for (const [name, lose, says] of losses) {
    test(name, async () => {
      const { fleet, home } = await working()
      lose(home)
      const before = existsSync(home) ? new Set(readdirSync(home)) : undefined
      const { code, said } = await fleet.over()
      expect({ code, said }).toEqual({ code: 7, said: expect.stringMatching(says) })
      expect(fleet.alive()).toEqual([])
      // Nothing but a record of the holder is gone, and nothing was made.
      const after = existsSync(home) ? readdirSync(home).filter((each) => before?.has(each) !== true) : undefined
      expect(after).toEqual(before === undefined ? undefined : [])
      if (existsSync(`${dirname(home)}-moved`)) renameSync(`${dirname(home)}-moved`, dirname(home))
    })
  }
})

/** Again while the supervisor still writes there: `maxRetries` of rmSync removes nothing that came after its first look. */
function deleteHome(home: string): void {
  const end = performance.now() + 60_000
  for (;;) {
    try {
      rmSync(home, { recursive: true, force: true })
      return
    } catch (error) {
      if (performance.now() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}

describe('after a loss', () => {
  test('doctor --restore puts back the store as it was, and the stopped agent is not counted', async () => {
    const { fleet, id, home } = await working()
    rmSync(inHome(home, 'fleet.db'))
    const { said } = await fleet.over()
    expect(said).toMatch(/the store as it was is in .*\/backups\/fleet-.*\.db: fleet doctor --restore puts it back/)
    expect(fleet.fleet('tasks')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/has no fleet\.db[\s\S]*doctor --restore/),
    })
    expect(existsSync(inHome(home, 'fleet.db'))).toBe(false)
    expect(fleet.fleet('doctor', '--restore')).toMatchObject({ code: 0 })
    const shown = () => JSON.parse(fleet.fleet('show', id, '--json').stdout).fleet
    await fleet.start()
    await until(
      async () => shown().attempts.length === 2,
      () => `a second attempt: ${JSON.stringify(shown())}`,
    )
    expect(fleet.text(id, '.failures')).toBe('0\n')
    expect(shown()).toMatchObject({
      attempts: [expect.objectContaining({ outcome: expect.objectContaining({ code: 'stopped' }) }), expect.anything()],
    })
  })

  test('a home that is moved back goes on where it was', async () => {
    const { fleet, id, home } = await working()
    renameSync(home, `${home}-moved`)
    await fleet.over()
    renameSync(`${home}-moved`, home)
    await fleet.start()
    await until(
      async () => fleet.runs(id).length === 2,
      () => `a second attempt: ${JSON.stringify(fleet.runs(id))}`,
    )
    expect(fleet.runs(id)[0]).toMatchObject({ outcome: { code: 'stopped' } })
    expect(fleet.ledger.stateOf(id)).toMatchObject({ failures: 0 })
  })
})

describe('a lock that is lost', () => {
  for (const name of ['lock.db', 'queue-lock.db']) {
    test(`${name}: the supervisor ends, its agents keep running, and the next one adopts them`, async () => {
      const { fleet, id, home } = await working()
      rmSync(inHome(home, name))
      const { code, said } = await fleet.over()
      expect({ code, said }).toEqual({
        code: 7,
        said: expect.stringMatching(/is no longer there[\s\S]*agents keep running/),
      })
      expect(fleet.alive()).toHaveLength(1)
      await fleet.start()
      await until(
        async () => fleet.log().some(({ event, is }) => event === 'run-found' && is === 'alive'),
        () => 'the agent is adopted',
      )
      expect(fleet.runs(id)).toHaveLength(1)
    })
  }

  test('no second supervisor starts, and no store is restored, while the first one lives', async () => {
    const { fleet, home } = await working()
    process.kill(fleet.pid, 'SIGSTOP')
    try {
      for (const name of ['lock.db', 'supervisor.json']) rmSync(inHome(home, name))
      const refused = { code: 5, stderr: expect.stringContaining(`pid ${fleet.pid}`) }
      expect(fleet.fleet('run', '--once')).toMatchObject(refused)
      expect(fleet.fleet('doctor', '--restore')).toMatchObject(refused)
    } finally {
      process.kill(fleet.pid, 'SIGCONT')
    }
    expect(await fleet.over()).toMatchObject({ code: 7 })
    await fleet.start()
    await until(
      async () => fleet.log().some(({ event, is }) => event === 'run-found' && is === 'alive'),
      () => 'the agent is adopted',
    )
  })

  test('doctor --restore is refused while a supervisor runs', async () => {
    const { fleet } = await working()
    expect(fleet.fleet('doctor', '--restore')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/a supervisor is running on .* \(pid \d+\), so its store cannot be replaced/),
    })
  })
})
