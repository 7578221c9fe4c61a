import fc from 'fast-check'
import { expect, test } from 'vitest'
import { split } from '../../../src/cli/bd/beads/split.ts'

const WANTED = [
  { name: 'cwd', value: true },
  { name: 'json', value: false },
  { name: 'directory', short: 'C', value: true },
]
const VALUES = new Set(['--title', '-p'])

test.each([
  ['--cwd /x a', { cwd: ['/x'] }, 'a'],
  ['--cwd=/x a', { cwd: ['/x'] }, 'a'],
  ['-C /x -C/y list', { directory: ['/x', '/y'] }, 'list'],
  ['a --json -p 1', { json: ['true'] }, 'a -p 1'],
  ['--json=false', { json: ['false'] }, ''],
  ['--title --cwd b', {}, '--title --cwd b'],
  ['a -- --cwd b', {}, 'a -- --cwd b'],
  ['--cwdx=1 --unknown v', {}, '--cwdx=1 --unknown v'],
])('from %j, split takes %j', (line, taken, rest) => {
  const done = split(line.split(' '), WANTED, VALUES)
  expect(done.rest.join(' ')).toBe(rest)
  for (const { name } of WANTED) expect(done.taken.all(name)).toEqual(taken[name as keyof typeof taken] ?? [])
})

test('a line without these flags comes back unchanged', () => {
  const word = fc.string().filter((text) => !/^(--(cwd|json|directory)(=|$)|-C)/.test(text))
  fc.assert(
    fc.property(fc.array(word), (argv) => {
      expect(split(argv, WANTED, VALUES).rest).toEqual(argv)
    }),
  )
})
