import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FLEET, testHome } from '../support/cli.ts'

const LONG_AGO = new Date('2026-01-01')

/** A home that keeps its code itself, as users' do: the tests share theirs. */
function home() {
  const { path, fleet } = testHome()
  const root = join(path, 'code')
  const folder = (): string => join(root, readdirSync(root)[0] as string)
  const kept = (): string[] => (existsSync(root) ? readdirSync(folder()).sort() : [])
  const call = (env: NodeJS.ProcessEnv, ...argv: string[]) => fleet(argv, { env: { NODE_COMPILE_CACHE: '', ...env } })
  return { path, root, folder, kept, call, fleet: (...argv: string[]) => call({}, ...argv) }
}

/** One that has the code of `bd list`, written long ago: whoever refuses it writes it anew. */
function homeWithCode() {
  const made = home()
  const first = made.fleet('bd', 'list')
  const file = join(made.folder(), 'bd-list')
  const good = readFileSync(file)
  utimesSync(file, LONG_AGO, LONG_AGO)
  const list = () => made.fleet('bd', 'list')
  const wasUsed = (): boolean => statSync(file).mtimeMs === LONG_AGO.getTime()
  return { ...made, file, good, first, list, wasUsed }
}

test('the code of a command is kept after its first call, for its owner alone, and used by the next', () => {
  const { kept, list, first, folder, root, file, wasUsed } = homeWithCode()
  expect(kept()).toEqual(['bd-list'])
  expect([root, folder(), file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o600])
  expect(list()).toEqual(first)
  expect(wasUsed()).toBe(true)
})

test('each command of a family has its own; a call with flags first, or for help, has none', () => {
  const { fleet, kept } = home()
  fleet('bd', 'create', 'a task')
  fleet('bd', 'dep', 'cycles')
  fleet('config', 'show')
  fleet('bd', '--json', 'list')
  fleet('bd', 'ready', '--help')
  fleet('ready')
  expect(kept()).toEqual(['bd-create', 'bd-dep', 'config-show', 'ready'])
})

test('nothing is kept of a call that failed, of a supervisor, under flags of Node, or where nobody wants it', () => {
  const { fleet, call, kept, path } = home()
  expect(fleet('bd', 'nonsense').code).toBe(1)
  expect(fleet('no-such-command').code).toBe(2)
  expect(fleet('run', '--once', '--quiet').code).toBe(0)
  expect(call({ NODE_DISABLE_COMPILE_CACHE: '1' }, 'bd', 'list').code).toBe(0)
  expect(call({ NODE_OPTIONS: '--max-old-space-size=2048' }, 'bd', 'list').code).toBe(0)
  expect(call({ NODE_V8_COVERAGE: join(path, 'coverage') }, 'bd', 'list').code).toBe(0)
  expect(kept()).toEqual([])
})

test('no home is made for it, and no other folder taken for one', () => {
  const { call, path } = home()
  const nowhere = join(path, 'no-home')
  expect(call({ FLEET_HOME: nowhere }, 'version').code).toBe(0)
  expect(existsSync(nowhere)).toBe(false)
  mkdirSync(nowhere)
  expect(call({ FLEET_HOME: nowhere }, 'version').code).toBe(0)
  expect(readdirSync(nowhere)).toEqual([])
})

test.runIf(process.getuid?.() === 0)("nothing is left in somebody else's home, who could not delete it", () => {
  const { path, fleet } = home()
  chownSync(join(path, 'fleet.db'), 65_534, 65_534)
  fleet('version')
  expect(readdirSync(path)).not.toContain('code')
})

test.each<[string, (code: Buffer) => Buffer]>([
  ['empty', () => Buffer.alloc(0)],
  ['cut', (code) => code.subarray(0, code.length / 2)],
  ['longer', (code) => Buffer.concat([code, Buffer.from('x')])],
  ['something else', () => Buffer.from('{"crc":0,"sizes":[["main.cjs",1e99]]}\n')],
  ['damaged in one bit', (code) => changedAt(code, Math.floor(code.length / 2))],
  ['damaged in its head', (code) => changedAt(code, 3)],
])('code that is %s is not used, and kept anew', (_what, damage) => {
  const { file, good, list, first } = homeWithCode()
  writeFileSync(file, damage(good))
  expect(list()).toEqual(first)
  expect(readFileSync(file).length).toBeGreaterThan(good.length * 0.9)
  utimesSync(file, LONG_AGO, LONG_AGO)
  expect(list()).toEqual(first)
  expect(statSync(file).mtimeMs).toBe(LONG_AGO.getTime())
})

function changedAt(code: Buffer, at: number): Buffer {
  const bytes = Buffer.from(code)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}

describe('code that others may have had a hand in is not run', () => {
  test('a file that others can write', () => {
    const { file, list, wasUsed } = homeWithCode()
    chmodSync(file, 0o666)
    list()
    expect([wasUsed(), statSync(file).mode & 0o777]).toEqual([false, 0o600])
  })

  test('a link to a good one', () => {
    const { file, list, path, good } = homeWithCode()
    renameSync(file, join(path, 'elsewhere'))
    symlinkSync(join(path, 'elsewhere'), file)
    list()
    expect([readFileSync(join(path, 'elsewhere')), statSync(file).mtimeMs > LONG_AGO.getTime()]).toEqual([good, true])
  })

  test('a pipe in its place, which would keep us waiting', () => {
    const { file, list, first } = homeWithCode()
    rmSync(file)
    execFileSync('mkfifo', [file])
    expect(list()).toEqual(first)
  })

  test('a folder that others can write', () => {
    const { folder, list, wasUsed, first } = homeWithCode()
    chmodSync(folder(), 0o777)
    utimesSync(folder(), LONG_AGO, LONG_AGO)
    expect(list()).toEqual(first)
    // Neither read nor written: a temporary file in it would have changed its time.
    expect([wasUsed(), statSync(folder()).mtimeMs]).toEqual([true, LONG_AGO.getTime()])
  })

  test.runIf(process.getuid?.() === 0)('a file of somebody else', () => {
    const { file, list, first, wasUsed } = homeWithCode()
    chownSync(file, 65_534, 65_534)
    expect(list()).toEqual(first)
    expect([wasUsed(), statSync(file).uid]).toEqual([false, 0])
  })
})

test('where it cannot be kept, nothing changes', () => {
  const { root, fleet, call } = home()
  writeFileSync(root, 'a file in its place')
  expect(fleet('bd', 'list')).toEqual(call({ NODE_DISABLE_COMPILE_CACHE: '1' }, 'bd', 'list'))
  expect(readFileSync(root, 'utf8')).toBe('a file in its place')
  // Where folders cannot be made, Node would try for ever to make one above the other.
  expect(call({ NODE_COMPILE_CACHE: '/proc/self/fd/none' }, 'bd', 'list').code).toBe(0)
})

test('what an old build kept goes when another begins, and nothing else', () => {
  const { root, fleet, folder, path } = home()
  fleet('bd', 'list')
  const build = readdirSync(root)[0] as string
  const old = build.replace(/.{4}$/, '0000')
  renameSync(folder(), join(root, old))
  for (const name of ['notes', 'main-recent0-0123456789abcdef']) mkdirSync(join(root, name))
  symlinkSync(path, join(root, 'main-linked00-0123456789abcdef'))
  for (const name of [old, 'notes']) utimesSync(join(root, name), LONG_AGO, LONG_AGO)
  fleet('bd', 'list')
  const left = [build, 'main-linked00-0123456789abcdef', 'main-recent0-0123456789abcdef', 'notes']
  expect(readdirSync(root).sort()).toEqual(left.sort())
  expect(existsSync(join(path, 'fleet.db'))).toBe(true)
})

test('no file of the program imports by itself but the one that Node loads: kept code cannot', () => {
  const dist = dirname(FLEET)
  const importing = readdirSync(dist).filter((name) =>
    /(?<![.\w]|async )import\(/.test(readFileSync(join(dist, name), 'utf8')),
  )
  expect(importing).toEqual([expect.stringMatching(/^import-file-/)])
})
