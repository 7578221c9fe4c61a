import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { looseIn } from '../../src/platform/files/permissions.ts'
import { type Ran, temporaryFolder, testHome } from '../support/cli.ts'

const NODE_CAN = 'enableCompileCache' in module
const LONG_AGO = new Date('2026-01-01')

/** A home with its own cache, as users have; the other tests share one. */
function home() {
  const folder = temporaryFolder()
  const { path, fleet } = testHome(folder)
  const call = (env: NodeJS.ProcessEnv, ...argv: string[]): Ran =>
    fleet(argv, { env: { NODE_COMPILE_CACHE: '', HOME: folder, TMPDIR: folder, ...env } })
  const code = join(path, 'code')
  const uncached = call({ NODE_DISABLE_COMPILE_CACHE: '1' }, 'bd', 'list')
  return { folder, path, code, call, uncached, list: () => call({}, 'bd', 'list') }
}

/** Every file below a folder, by its path. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

test('a command writes compiled code only into the home, where only its owner can read it', () => {
  const { folder, path, code, list, uncached } = home()
  const before = filesBelow(folder)
  expect(list()).toEqual(uncached)
  expect(list()).toEqual(uncached)
  const added = filesBelow(folder).filter((file) => !before.includes(file))
  expect(added.filter((file) => !file.startsWith(`${code}/`))).toEqual([])
  expect(added.length > 0).toBe(NODE_CAN)
  if (NODE_CAN) expect(statSync(code).mode & 0o777).toBe(0o700)
  expect(looseIn(path)).toEqual([])
})

test('a cache never creates a home, and never goes into a folder that is no home', () => {
  const { call, path } = home()
  const nowhere = join(path, 'no-home')
  expect(call({ FLEET_HOME: nowhere }, 'version').code).toBe(0)
  expect(existsSync(nowhere)).toBe(false)
  mkdirSync(nowhere)
  expect(call({ FLEET_HOME: nowhere }, 'version').code).toBe(0)
  expect(readdirSync(nowhere)).toEqual([])
})

test('NODE_DISABLE_COMPILE_CACHE turns the cache off', () => {
  expect(existsSync(home().code)).toBe(false)
})

describe('a command prints the same without a usable cache', () => {
  test.runIf(NODE_CAN).each<[string, (code: Buffer) => Buffer]>([
    ['empty', () => Buffer.alloc(0)],
    ['cut', (code) => code.subarray(0, code.length / 2)],
    ['something else', () => Buffer.from('something else')],
    ['damaged in one bit', flipped],
  ])('if the cached code is %s', (_what, damage) => {
    const { code, list, uncached } = home()
    list()
    const files = filesBelow(code)
    expect(files).not.toEqual([])
    for (const file of files) writeFileSync(file, damage(readFileSync(file)))
    expect(list()).toEqual(uncached)
    expect(list()).toEqual(uncached)
  })

  test('if a file has the name of the cache folder', () => {
    const { code, list, uncached } = home()
    writeFileSync(code, 'a file in its place')
    expect(list()).toEqual(uncached)
    expect(readFileSync(code, 'utf8')).toBe('a file in its place')
  })

  test.runIf(process.getuid?.() !== 0)('if the home is read-only', () => {
    const { path, call, uncached } = home()
    chmodSync(path, 0o500)
    expect(call({}, 'bd', 'list')).toEqual(uncached)
    chmodSync(path, 0o700)
  })
})

function flipped(code: Buffer): Buffer {
  const bytes = Buffer.from(code)
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  return bytes
}

describe('the cache is not written to', () => {
  test('a link to elsewhere', () => {
    const { folder, code, list } = home()
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere, { mode: 0o700 })
    symlinkSync(elsewhere, code)
    list()
    expect(readdirSync(elsewhere)).toEqual([])
  })

  test('a folder that others can enter', () => {
    const { code, list } = home()
    mkdirSync(code)
    chmodSync(code, 0o755)
    list()
    expect(readdirSync(code)).toEqual([])
  })

  test.runIf(process.getuid?.() === 0)("another user's home", () => {
    const { path, code, call } = home()
    chownSync(join(path, 'fleet.db'), 65_534, 65_534)
    call({}, 'version')
    expect(existsSync(code)).toBe(false)
  })
})

test('a cache older than a month is deleted, with the files of earlier versions of fleet', () => {
  const { code, list } = home()
  const left = join(code, 'main-Bre1smmY-0123456789abcdef')
  mkdirSync(left, { recursive: true, mode: 0o700 })
  writeFileSync(join(left, 'bd-list'), 'code')
  list()
  expect(existsSync(left)).toBe(true)
  utimesSync(code, LONG_AGO, LONG_AGO)
  list()
  expect([existsSync(left), existsSync(code)]).toEqual([false, NODE_CAN])
})
