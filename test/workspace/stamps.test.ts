import { execFileSync } from 'node:child_process'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inPlace } from '../../src/workspace/in-place.ts'
import { NOTHING, type Project, plain, project } from '../support/project.ts'

const MEGABYTE = 1 << 20

function touchAll({ path }: Project): void {
  execFileSync('find', [path, '-name', '*.txt', '-exec', 'touch', '{}', '+'])
}

test('a touched file is no evidence, however many agents start in a checkout at once', async () => {
  const here = project('git')
  for (let i = 0; i < 2000; i++) here.write(`many/${i}.txt`, `${i}`.padEnd(3000, 'x'))
  const bases = await Promise.all(Array.from({ length: 4 }, () => inPlace.base(here.path, '/nowhere')))
  touchAll(here)
  const more = { since: Date.now(), artifacts: here.artifacts, home: '/nowhere' }
  for (const base of bases) expect(plain(await inPlace.changes(base, more))).toEqual(NOTHING)
})

test('with more changed files than are read, the same ones are read each time', async () => {
  const here = project('git')
  const name = (i: number) => `large/${String(i).padStart(2, '0')}.txt`
  for (let i = 0; i < 40; i++) here.write(name(i), `${i}`.padEnd(MEGABYTE, 'x'))
  const [one, other] = await Promise.all([inPlace.base(here.path, '/nowhere'), inPlace.base(here.path, '/nowhere')])
  expect(other).toEqual(one)
  const changes = await here.changesBy(() => touchAll(here))
  expect(changes.files).toEqual([32, 33, 34, 35, 36, 37, 38, 39].map(name))
})

test('a file that is too large to read is judged by its timestamp alone', async () => {
  const here = project('git')
  here.write('small.txt', 'x'.repeat(MEGABYTE))
  here.write('large.txt', 'x'.repeat(MEGABYTE + 1))
  expect(await here.changesBy(() => touchAll(here))).toEqual({ ...NOTHING, files: ['large.txt'] })
  const changes = await here.changesBy(() => truncateSync(join(here.path, 'small.txt'), 9 * MEGABYTE))
  expect(changes.files).toEqual(['small.txt'])
})
