import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { backUp, backupsIn } from '../../src/store/backup.ts'
import { type TestHome, testHome } from '../support/cli.ts'
import { doctor } from '../support/doctor.ts'
import { addTasks, contents, hashOf, tamper, tree } from '../support/store.ts'

/** A home with tasks, and a backup of it with one task fewer. */
async function homeWithBackup(): Promise<TestHome & { backup: string }> {
  const home = testHome()
  await addTasks(home.path, ['one'])
  const [first] = backupsIn(join(home.path, 'backups'))
  await addTasks(home.path, ['two'])
  return { ...home, backup: first?.path ?? '' }
}

function garble(home: TestHome): void {
  for (const suffix of ['-wal', '-shm']) rmSync(join(home.path, `fleet.db${suffix}`), { force: true })
  writeFileSync(join(home.path, 'fleet.db'), 'This is not a database.'.repeat(1000))
}

describe('a damaged store', () => {
  const damages: readonly [string, (home: TestHome) => void, RegExp][] = [
    ['garbage instead of a database', garble, /is damaged: file is not a database/],
    ['a page overwritten in the middle', overwritePages, /is damaged: /],
    ['a file cut short', (home) => truncateSync(join(home.path, 'fleet.db'), 20_000), /is damaged: /],
    ['a file cut to nothing', (home) => truncateSync(join(home.path, 'fleet.db'), 0), /is damaged: the file is empty/],
    ['a missing file', (home) => rmSync(join(home.path, 'fleet.db')), /is not there/],
    [
      'a directory in its place',
      (home) => {
        rmSync(join(home.path, 'fleet.db'))
        mkdirSync(join(home.path, 'fleet.db'), { mode: 0o700 })
      },
      /is a directory, not a store/,
    ],
  ]
  for (const [name, damage, says] of damages) {
    test(`${name}: doctor names the newest good backup, and --restore puts it back`, async () => {
      const home = await homeWithBackup()
      damage(home)
      const { code, checks } = doctor(home)
      expect(code).toBe(1)
      expect(checks['store']).toMatchObject({
        state: 'fail',
        found: expect.stringMatching(says),
        todo: expect.stringContaining(`fleet doctor --restore puts back the newest good backup, ${home.backup}`),
      })

      const restored = home.fleet(['doctor', '--restore'])
      expect(restored).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining(`Restored ${home.path}/fleet.db from ${home.backup}: 1 task.\n`),
      })
      expect(doctor(home)).toMatchObject({ code: 0, checks: { store: { state: 'ok' }, permissions: { state: 'ok' } } })
      expect((await contents(home.path)).map((task) => task.title)).toEqual(['one'])
      await addTasks(home.path, ['three'])
      expect(doctor(home).checks['store']?.found).toContain('whole, 2 tasks')
    })
  }

  test('is kept beside the restored one, with its write-ahead log', async () => {
    const home = await homeWithBackup()
    garble(home)
    writeFileSync(join(home.path, 'fleet.db-wal'), 'an old log', { mode: 0o600 })
    const damaged = hashOf(join(home.path, 'fleet.db'))
    home.fleet(['doctor', '--restore'])
    const aside = readdirSync(home.path).filter((name) => name.includes('damaged') && !name.endsWith('-shm'))
    expect(aside).toEqual([
      expect.stringMatching(/^fleet\.db\.damaged-\d{8}T\d{6}\.\d{3}Z$/),
      expect.stringMatching(/^fleet\.db\.damaged-\d{8}T\d{6}\.\d{3}Z-wal$/),
    ])
    expect(hashOf(join(home.path, aside[0] ?? ''))).toBe(damaged)
    expect(readFileSync(join(home.path, aside[1] ?? ''), 'utf8')).toBe('an old log')
  })

  test('is not restored from a damaged backup', async () => {
    const home = await homeWithBackup()
    writeFileSync(join(home.path, 'backups', 'fleet-29991231T000000.000Z.db'), 'damaged too', { mode: 0o600 })
    garble(home)
    expect(doctor(home).checks['store']?.todo).toContain(home.backup)
    expect(home.fleet(['doctor', '--restore', 'fleet-29991231T000000.000Z.db'])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('is not a usable backup (damaged)'),
    })
    expect(home.fleet(['doctor', '--restore']).code).toBe(0)
  })

  test('can be restored from a backup chosen by name or path', async () => {
    const home = await homeWithBackup()
    {
      using db = openStore({ path: join(home.path, 'fleet.db') })
      backUp(db, { folder: join(home.path, 'backups'), now: Date.now() + 1000 })
    }
    garble(home)
    expect(home.fleet(['doctor', '--restore', 'fleet-20000101T000000.000Z.db'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('there is no backup'),
    })
    expect(home.fleet(['doctor', '--restore', home.backup, '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"tasks": 1'),
    })
  })

  test('without any backup stays as it is, and doctor says what to do', () => {
    const home = testHome()
    garble(home)
    const before = tree(home.path)
    expect(doctor(home).checks['store']?.todo).toContain('there is no good backup')
    expect(home.fleet(['doctor', '--restore'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('there is no good backup in'),
    })
    // It holds both locks meanwhile, so that no command and no supervisor starts on the store.
    expect(tree(home.path)).toEqual({ ...before, './.lock': expect.any(String), './lock.db': expect.any(String) })
  })

  test('is restored with the time of the backup and the tasks created after it', async () => {
    const home = testHome()
    await addTasks(home.path, ['one'])
    const later = Array.from({ length: 12 }, () => `fleet-z${crypto.randomUUID().slice(0, 5)}`).sort()
    for (const id of later) {
      mkdirSync(join(home.path, 'tasks', id))
      writeFileSync(join(home.path, 'tasks', id, 'task.json'), '{}')
    }
    mkdirSync(join(home.path, 'tasks', 'fleet-deleted'))
    garble(home)
    const { code, stdout } = home.fleet(['doctor', '--restore'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/\nThe backup was made at \d{4}-\d\d-\d\dT[\d:.]+Z; what changed after it is not in it\.\n/)
    expect(stdout).toContain(
      `Not in the backup, but with a folder under tasks/: ${later.slice(0, 10).join(', ')} and 2 more\n`,
    )
  })

  test('can be replaced, but an intact one never is', async () => {
    const home = await homeWithBackup()
    const before = await contents(home.path)
    expect(home.fleet(['doctor', '--restore'])).toMatchObject({
      code: 5,
      stdout: '',
      stderr: expect.stringContaining('is whole: there is nothing to restore\n  nothing was changed'),
    })
    expect(await contents(home.path)).toEqual(before)
  })

  test('can be replaced, but one of a newer version never is', async () => {
    const home = await homeWithBackup()
    tamper(home.path, 'pragma user_version = 99')
    const before = hashOf(join(home.path, 'fleet.db'))
    expect(home.fleet(['doctor', '--restore'])).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('was made by a newer fleet: store version 99'),
    })
    expect(hashOf(join(home.path, 'fleet.db'))).toBe(before)
  })
})

describe('a lost store with a backup', () => {
  const losses: readonly [string, (home: TestHome) => void][] = [
    ['missing', (home) => void rmSync(join(home.path, 'fleet.db'))],
    ['empty', (home) => truncateSync(join(home.path, 'fleet.db'), 0)],
  ]
  for (const [what, lose] of losses) {
    test(`${what}: init creates no new one, and every command says how to restore it`, async () => {
      const home = await homeWithBackup()
      for (const suffix of ['-wal', '-shm']) rmSync(join(home.path, `fleet.db${suffix}`), { force: true })
      lose(home)
      const before = tree(home.path)
      for (const argv of [['init'], ['init', '--force']]) {
        expect(home.fleet(argv)).toMatchObject({
          code: 5,
          stdout: '',
          stderr: expect.stringMatching(
            new RegExp(`fleet.db is ${what}, but this home had tasks\n  nothing was changed; fleet doctor --restore`),
          ),
        })
      }
      expect(home.fleet(['ready']).stderr).toContain('fleet doctor --restore puts back the newest good backup')
      expect(home.bd(['list'])).toMatchObject({ code: 1, stderr: expect.stringContaining('fleet doctor --restore') })
      expect(tree(home.path)).toEqual(before)

      rmSync(join(home.path, 'backups'), { recursive: true })
      rmSync(join(home.path, 'tasks'), { recursive: true })
      expect(home.fleet(['init']).code).toBe(0)
      expect(home.bd(['list', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' })
    })
  }

  test('task folders alone keep init from creating a new store', () => {
    const home = testHome()
    mkdirSync(join(home.path, 'tasks', 'fleet-abc'))
    rmSync(join(home.path, 'fleet.db'))
    expect(home.fleet(['init'])).toMatchObject({ code: 5, stderr: expect.stringContaining('there is no backup, but') })
    expect(home.fleet(['ready'])).toMatchObject({ code: 3, stderr: expect.stringContaining('there is no backup, but') })
  })

  test('doctor detects a new store in its place, which can be replaced', async () => {
    const home = await homeWithBackup()
    const fresh = testHome()
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(home.path, `fleet.db${suffix}`), { force: true })
    copyFileSync(join(fresh.path, 'fleet.db'), join(home.path, 'fleet.db'))
    expect(doctor(home)).toMatchObject({
      code: 1,
      checks: { store: { state: 'fail', todo: expect.stringContaining('fleet doctor --restore') } },
    })
    expect(home.fleet(['doctor', '--restore']).code).toBe(0)
    expect((await contents(home.path)).map((task) => task.title)).toEqual(['one'])
  })
})

/** All pages but the first, so that the damaged ones are in use. */
function overwritePages(home: TestHome): void {
  const path = join(home.path, 'fleet.db')
  const bytes = readFileSync(path)
  bytes.fill(0x5a, 4096 * 2)
  writeFileSync(path, bytes)
}
