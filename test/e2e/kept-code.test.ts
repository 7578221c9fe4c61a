import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { FLEET, temporaryFolder, testHome } from '../support/cli.ts'

/** A home, and a cache of its own beside it. */
function withCache() {
  const home = testHome()
  const cache = temporaryFolder()
  const folder = (): string => join(cache, 'fleet', readdirSync(join(cache, 'fleet'))[0] ?? '')
  return {
    cache,
    fleet: (...argv: string[]) => home.fleet(argv, { env: { XDG_CACHE_HOME: cache } }),
    without: (...argv: string[]) =>
      home.fleet(argv, { env: { XDG_CACHE_HOME: cache, NODE_DISABLE_COMPILE_CACHE: '1' } }),
    folder,
    kept: (): string[] => (existsSync(join(cache, 'fleet')) ? readdirSync(folder()).sort() : []),
    file: (command: string): string => join(folder(), command),
  }
}

test('the code of a command is kept after its first call, for its owner alone, and used by the next', () => {
  const { fleet, kept, file, folder } = withCache()
  const first = fleet('bd', 'list')
  expect(kept()).toEqual(['bd-list'])
  expect([folder(), file('bd-list')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
  const longAgo = new Date('2020-01-01')
  utimesSync(file('bd-list'), longAgo, longAgo)
  expect(fleet('bd', 'list')).toEqual(first)
  // What V8 had refused would have been written anew.
  expect(statSync(file('bd-list')).mtime).toEqual(longAgo)
})

test('nothing is kept of a call that failed, of a supervisor, or where nobody wants it', () => {
  const { fleet, without, kept } = withCache()
  expect(fleet('bd', 'nonsense').code).toBe(1)
  expect(fleet('no-such-command').code).toBe(2)
  expect(fleet('run', '--once', '--quiet').code).toBe(0)
  expect(without('bd', 'list').code).toBe(0)
  expect(kept()).toEqual([])
})

test.each([
  ['empty', () => Buffer.alloc(0)],
  ['cut', (code: Buffer) => code.subarray(0, code.length / 2)],
  ['longer', (code: Buffer) => Buffer.concat([code, Buffer.from('x')])],
  ['something else', () => Buffer.from('[["main.cjs", 1e99]]\n')],
  ['of another V8', (code: Buffer) => otherVersion(code)],
])('code that is %s is not used, and kept anew', (_what, damage) => {
  const { fleet, file } = withCache()
  const first = fleet('bd', 'list')
  const good = readFileSync(file('bd-list'))
  writeFileSync(file('bd-list'), damage(good))
  expect(fleet('bd', 'list')).toEqual(first)
  expect(readFileSync(file('bd-list')).length).toBeGreaterThan(good.length / 2 + 1)
  const mended = statSync(file('bd-list')).mtimeMs
  expect(fleet('bd', 'list')).toEqual(first)
  expect(statSync(file('bd-list')).mtimeMs).toBe(mended)
})

/** The second word of each part says which V8 made it. */
function otherVersion(code: Buffer): Buffer {
  const bytes = Buffer.from(code)
  const at = bytes.indexOf('\n') + 1
  bytes.writeUInt32LE(bytes.readUInt32LE(at + 4) ^ 1, at + 4)
  return bytes
}

test.runIf(process.getuid?.() === 0)('code that belongs to somebody else is not run', async () => {
  const { chownSync } = await import('node:fs')
  const { fleet, file } = withCache()
  const first = fleet('bd', 'list')
  const good = readFileSync(file('bd-list'))
  chownSync(file('bd-list'), 65_534, 65_534)
  writeFileSync(file('bd-list'), otherVersion(good))
  expect(fleet('bd', 'list')).toEqual(first)
  expect(statSync(file('bd-list')).uid).toBe(0)
})

test('a cache that cannot be written changes nothing', () => {
  const { cache, fleet, without } = withCache()
  writeFileSync(join(cache, 'fleet'), 'a file in its place')
  expect(fleet('bd', 'list')).toEqual(without('bd', 'list'))
  chmodSync(cache, 0o500)
  expect(fleet('bd', 'list')).toEqual(without('bd', 'list'))
})

test('what an old version kept goes when another begins', () => {
  const { cache, fleet } = withCache()
  const [old, recent] = ['main-old', 'main-recent'].map((name) => join(cache, 'fleet', name)) as [string, string]
  for (const path of [old, recent]) mkdirSync(path, { recursive: true })
  const longAgo = new Date(Date.now() - 40 * 24 * 3_600_000)
  utimesSync(old, longAgo, longAgo)
  fleet('bd', 'list')
  expect([existsSync(old), existsSync(recent), readdirSync(join(cache, 'fleet')).length]).toEqual([false, true, 2])
})

test('no file of the program imports by itself but the one that Node loads: kept code cannot', () => {
  const dist = dirname(FLEET)
  const importing = readdirSync(dist).filter((name) =>
    /(?<![.\w]|async )import\(/.test(readFileSync(join(dist, name), 'utf8')),
  )
  expect(importing).toEqual([expect.stringMatching(/^import-file-/)])
})
