import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inPlace } from '../../src/workspace/in-place.ts'
import { NOTHING, plain, project } from '../support/project.ts'

test('in a folder without git, writing, renaming or making executable is a change', async () => {
  const { path, write, changesBy } = project('folder')
  write('old.txt', 'old')
  write('moved.txt', 'moved')
  write('tool', 'tool')
  const changes = await changesBy(() => {
    write('deep/er/new.txt', 'new')
    renameSync(join(path, 'moved.txt'), join(path, 'there.txt'))
    chmodSync(join(path, 'tool'), 0o755)
    const past = new Date('2001-01-01')
    write('dated.txt', 'x')
    utimesSync(join(path, 'dated.txt'), past, past)
  })
  expect(changes).toEqual({
    ...NOTHING,
    files: ['dated.txt', 'deep/er/new.txt', 'moved.txt', 'there.txt', 'tool (mode)'],
  })
})

test('in a folder without git, a file written just before the run is no evidence', async () => {
  const { path, write, changesBy } = project('folder')
  for (let i = 0; i < 50; i++) write(`${i}.txt`, 'x')
  expect(await changesBy(() => execFileSync('cat', [join(path, '1.txt')]))).toEqual(NOTHING)
})

test('links are not followed out of a folder', async () => {
  const { path, changesBy } = project('folder')
  const outside = join(dirname(path), 'outside')
  mkdirSync(outside)
  symlinkSync(outside, join(path, 'link'))
  expect(await changesBy(() => writeFileSync(join(outside, 'x'), 'x'))).toEqual(NOTHING)
})

test('in a folder without git, touching a file or rewriting the same content is no evidence', async () => {
  const { path, write, changesBy } = project('folder')
  for (const name of ['touched.txt', 'again.txt', 'deep/er/swapped.txt', '__proto__']) write(name, name)
  symlinkSync('touched.txt', join(path, 'link'))
  execFileSync('mkfifo', [join(path, 'pipe')])
  const changes = await changesBy(() => {
    utimesSync(join(path, 'touched.txt'), 1, 1)
    write('again.txt', 'other')
    write('again.txt', 'again.txt')
    write('__proto__', '__proto__')
    write('new', 'deep/er/swapped.txt')
    renameSync(join(path, 'new'), join(path, 'deep/er/swapped.txt'))
    rmSync(join(path, 'link'))
    symlinkSync('touched.txt', join(path, 'link'))
  })
  expect(changes).toEqual(NOTHING)
})

test('in a folder without git, deleting or moving a file is a change', async () => {
  const { path, write, changesBy } = project('folder')
  for (const name of ['dead.txt', 'tree/a.txt', 'tree/er/b.txt', 'moved/c.txt']) write(name, name)
  expect(await changesBy(() => rmSync(join(path, 'dead.txt')))).toEqual({ ...NOTHING, files: ['dead.txt'] })
  const trees = await changesBy(() => {
    rmSync(join(path, 'tree'), { recursive: true })
    // The files of a folder that is renamed keep their times.
    renameSync(join(path, 'moved'), join(path, 'there'))
  })
  expect(trees).toEqual({ ...NOTHING, files: ['moved/c.txt', 'there/c.txt', 'tree/a.txt', 'tree/er/b.txt'] })
})

test('in a folder with more files than are recorded, timestamps decide for those that are not', async () => {
  const { path, write, changesBy } = project('folder')
  for (let i = 0; i < 2100; i++) write(`installed/deep/${String(i).padStart(4, '0')}.js`, 'x')
  for (const name of ['near.txt', 'src/near.ts']) write(name, name)
  // So that none of it changed in the last moments: nobody can set those times.
  await delay(3000)
  const base = await inPlace.base(path, '/nowhere')
  expect(base).toMatchObject({ kind: 'folder', filesWhole: false })
  expect(Object.keys('files' in base ? base.files : {})).toHaveLength(2000)
  const deep = (name: string) => join(path, 'installed/deep', name)
  const changes = await changesBy(() => {
    rmSync(join(path, 'near.txt'))
    write('src/near.ts', 'src/near.ts')
    utimesSync(deep('0000.js'), 1, 1)
    utimesSync(deep('2099.js'), 1, 1)
    rmSync(deep('2098.js'))
  })
  expect(changes).toEqual({ ...NOTHING, files: ['installed/deep/2099.js', 'near.txt'] })
})

test('the record of a folder that is full of new files stays small', async () => {
  const { path, write, changesBy } = project('folder')
  for (let i = 0; i < 5000; i++) write(`installed/${i}.js`, 'x')
  const base = await inPlace.base(path, '/nowhere')
  expect(Object.keys('files' in base ? base.files : {}).length).toBeLessThanOrEqual(4000)
  expect((await changesBy(() => write('made.txt', 'x'))).files).toContain('made.txt')
})

test('a run that an earlier version of fleet started is judged by timestamps alone', async () => {
  const { path, write, artifacts } = project('folder')
  const base = JSON.parse(JSON.stringify({ kind: 'folder', cwd: path, recent: {} }))
  const since = Date.now()
  write('new.txt', 'new')
  const changes = plain(await inPlace.changes(base, { since, artifacts, home: '/nowhere' }))
  expect(changes).toEqual({ ...NOTHING, files: ['new.txt'] })
})

test('in a folder with too many files and folders, those that a tool names count, and the reason says how the others can', async () => {
  const { path, artifacts, write } = project('folder')
  for (let i = 0; i <= 50_000; i++) mkdirSync(join(path, `all/${i}`), { recursive: true })
  write('out/kept.txt', 'kept\n')
  const base = await inPlace.base(path, '/nowhere')
  const order = { since: Date.now(), artifacts, home: '/nowhere' }
  write('top.txt', 'top\n')
  write('out/named.txt', 'named\n')
  write('out/unnamed.txt', 'unnamed\n')
  expect(plain(await inPlace.changes(base, { ...order, named: new Set(['out/named.txt']) }))).toEqual({
    ...NOTHING,
    files: ['out/named.txt', 'top.txt'],
    unknown: expect.stringMatching(/more than 50000 files.*--evidence path:<path>.*git/),
  })
})
