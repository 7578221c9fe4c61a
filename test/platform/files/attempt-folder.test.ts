import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPrivate, removeFolder, replacePrivate } from '../../../src/platform/files/attempt-folder.ts'
import { sizeUnlessEmpty } from '../../../src/platform/files/folder-size.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { fill, smallDisk } from '../../support/small-disk.ts'

test('a reader of a record that is being replaced reads the old one to its end, and then the new one', () => {
  const path = join(temporaryFolder(), 'receipt.json')
  replacePrivate(path, 'old')
  const reader = openSync(path, 'r')
  replacePrivate(path, 'new')
  expect([readFileSync(reader, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['old', 'new'])
  closeSync(reader)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a full disk keeps the old record and leaves no temporary file', ({ skip }) => {
  const disk = smallDisk(1)
  if (disk === undefined) return skip()
  const path = join(disk, 'receipt.json')
  replacePrivate(path, 'old')
  const ballast = fill(disk, 4096)
  expect(() => replacePrivate(path, 'x'.repeat(10_000))).toThrow('ENOSPC')
  expect(readFileSync(path, 'utf8')).toBe('old')
  rmSync(ballast)
  expect(readdirSync(disk)).toEqual(['receipt.json'])
})

/** Things an agent can put in the place of a supervisor's file. */
const IN_THE_WAY: Readonly<Record<string, (path: string, elsewhere: string) => void>> = {
  'a link': (path, elsewhere) => symlinkSync(elsewhere, path),
  'a link to nothing': (path) => symlinkSync('/nowhere/at/all', path),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(join(path, 'full'), { recursive: true }),
  'a file': (path) => writeFileSync(path, 'lies'),
}

test.each(Object.keys(IN_THE_WAY))('%s in the place of a record, or of its temporary file, is removed', (what) => {
  const folder = temporaryFolder()
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(elsewhere, 'precious')
  for (const [name, write] of [
    ['launch.json', createPrivate],
    ['receipt.json', replacePrivate],
  ] as const) {
    const path = join(folder, 'attempt', name)
    mkdirSync(join(folder, 'attempt'), { recursive: true })
    for (const place of [path, `${path}.new`]) IN_THE_WAY[what]?.(place, elsewhere)
    write(path, 'record')
    expect(readFileSync(path, 'utf8')).toBe('record')
    expect(statSync(path).isFile()).toBe(true)
  }
  expect(readFileSync(elsewhere, 'utf8')).toBe('precious')
})

test('a record is written even if an agent removed its folder or put a file in its place', () => {
  const folder = join(temporaryFolder(), 'attempt')
  replacePrivate(join(folder, 'receipt.json'), 'one')
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  replacePrivate(join(folder, 'receipt.json'), 'two')
  expect(readdirSync(folder)).toEqual(['receipt.json'])
})

test('the temporary folder of an agent is measured without following links, and removed', async () => {
  const [folder, elsewhere] = [join(temporaryFolder(), 'tmp'), temporaryFolder()]
  writeFileSync(join(elsewhere, 'precious'), 'x'.repeat(5000))
  mkdirSync(join(folder, 'deep/er'), { recursive: true })
  writeFileSync(join(folder, 'a'), 'x'.repeat(1000))
  writeFileSync(join(folder, 'deep/er/b'), 'x'.repeat(200))
  symlinkSync(elsewhere, join(folder, 'link'))
  expect(await sizeUnlessEmpty(folder)).toEqual({ bytes: 1200 + elsewhere.length })
  await removeFolder(folder)
  expect(existsSync(folder)).toBe(false)
  symlinkSync(elsewhere, folder)
  expect(await sizeUnlessEmpty(folder)).toEqual({ bytes: 0 })
  await removeFolder(folder)
  expect([existsSync(folder), readdirSync(elsewhere)]).toEqual([false, ['precious']])
  mkdirSync(folder)
  expect([await sizeUnlessEmpty(folder), existsSync(folder)]).toEqual([undefined, false])
})

test('a temporary folder of very many files is measured in part, and says so', async () => {
  const folder = temporaryFolder()
  for (let n = 0; n < 20_100; n++) writeFileSync(join(folder, String(n)), 'x')
  const size = await sizeUnlessEmpty(folder)
  expect(size?.bytes).toBeLessThanOrEqual(20_000)
  expect(size?.problem).toMatch(/^(more than 20000 files|reading it took longer than 1000 ms)$/)
})

const isRoot = process.getuid?.() === 0
const OTHER = 65534

/** Nothing is closed to root. */
async function asOther<T>(work: () => Promise<T>): Promise<T> {
  if (isRoot) process.seteuid?.(OTHER)
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

test('closed folders are removed all the same, and what cannot be removed is told', async () => {
  const top = temporaryFolder()
  const [closed, stuck] = [join(top, 'closed'), join(top, 'stuck')]
  for (const folder of [join(closed, 'deep'), join(stuck, 'of-another')]) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'x'), 'x')
  }
  if (isRoot) for (const path of [top, closed, join(closed, 'deep'), stuck]) chownSync(path, OTHER, OTHER)
  for (const path of [join(closed, 'deep'), closed]) chmodSync(path, 0o500)
  expect(await asOther(() => removeFolder(closed))).toBeUndefined()
  expect(existsSync(closed)).toBe(false)
  if (!isRoot) return
  expect(await asOther(() => removeFolder(stuck))).toMatch(/^EACCES: .*of-another/)
})
