import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forgetShortFolder, makeShortFolder, shortFolder } from '../../../src/platform/files/short-folder.ts'
import { temporaryFolder } from '../../support/cli.ts'

const LONG = join('x'.repeat(60), 'attempts', '1', 'tmp')

function place() {
  const base = temporaryFolder()
  const system = join(base, 'system')
  mkdirSync(system, { mode: 0o1777 })
  return { base, system, options: { system, longest: 80 } }
}

test('a short path is used as it is', () => {
  const { base, options } = place()
  const path = join(base, 'tmp')
  makeShortFolder(path, { ...options, longest: 1000 })
  expect(shortFolder(path, options)).toBe(path)
  expect(lstatSync(path).isDirectory()).toBe(true)
})

test('in place of a long path there is a short folder for its owner alone, and both are removed', () => {
  const { base, system, options } = place()
  const path = join(base, LONG)
  makeShortFolder(path, options)
  const short = shortFolder(path, options)
  expect(short.startsWith(`${system}/fleet-${process.getuid?.()}/`)).toBe(true)
  expect(readlinkSync(path)).toBe(short)
  expect([short, join(short, '..')].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700])
  rmdirSync(short)
  forgetShortFolder(path, options)
  expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined()
  expect(readdirSync(system)).toEqual([])
})

test('a socket can be made in it, where the long path has no room for one', async () => {
  const base = temporaryFolder()
  const path = join(base, LONG)
  // The real directory: in the test's own the path would be long again.
  makeShortFolder(path, { longest: 80 })
  const short = shortFolder(path)
  /** Some Nodes refuse a path that is too long, others cut it. */
  const makesSocket = (at: string) =>
    new Promise<boolean>((resolve) => {
      const server = createServer()
      server.once('error', () => resolve(false))
      server.listen(at, () => {
        const isThere = existsSync(at)
        server.close(() => resolve(isThere))
      })
    })
  const name = 'vscode-ipc-01234567-89ab-cdef-0123-456789abcdef.sock'
  expect(await makesSocket(join(path, name))).toBe(false)
  expect(await makesSocket(join(short, name))).toBe(true)
  rmSync(short, { recursive: true })
  forgetShortFolder(path)
})

test("another's folder in the temporary directory is not used", () => {
  const { base, system, options } = place()
  const theirs = join(system, `fleet-${process.getuid?.()}`)
  const path = join(base, LONG)
  mkdirSync(theirs)
  chmodSync(theirs, 0o777)
  makeShortFolder(path, options)
  expect(shortFolder(path, options)).toBe(path)
  expect(lstatSync(path).isDirectory()).toBe(true)
  expect(readdirSync(theirs)).toEqual([])
})

test('without a temporary directory the long path has to do', () => {
  const { base } = place()
  const path = join(base, LONG)
  makeShortFolder(path, { longest: 80, system: join(base, 'none') })
  expect(existsSync(path)).toBe(true)
  writeFileSync(join(path, 'file'), '')
})

test('a link that an agent put in its place is not followed and not removed', () => {
  const { base, options } = place()
  const path = join(base, LONG)
  makeShortFolder(path, options)
  const short = shortFolder(path, options)
  rmSync(path)
  symlinkSync(join(base, 'system'), path)
  expect(shortFolder(path, options)).toBe(path)
  forgetShortFolder(path, options)
  expect(readlinkSync(path)).toBe(join(base, 'system'))
  expect(existsSync(short)).toBe(true)
})
