import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cloneName } from '../../../src/domain/fleet/clone-name.ts'
import { hostNames, suits } from '../../../src/domain/fleet/host.ts'
import { mappedPath, type Place, placeFor } from '../../../src/domain/fleet/place.ts'

const word = fc.stringMatching(/^[a-z][a-z0-9 ._-]{0,8}$/)
const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `/${words.join('/')}`)

test.each([
  ['/home/ann/src/shop', '/srv/src/shop'],
  ['/home/ann/src', '/srv/src'],
  ['/home/ann/srcs', '/home/ann/srcs'],
  ['/home/ann/src/big/data', '/mnt/data'],
  ['/home/ann', '/home/ann'],
])('%s is %s here', (there, here) => {
  expect(mappedPath(there, { '/home/ann/src/': '/srv/src', '/home/ann/src/big': '/mnt' })).toBe(here)
})

test('the root can be mapped, and a path can be mapped to the root', () => {
  expect(mappedPath('/a/b', { '/': '/mnt/other' })).toBe('/mnt/other/a/b')
  expect(mappedPath('/a/b', { '/a': '/' })).toBe('/b')
  expect(mappedPath('/a', { '/a': '/' })).toBe('/')
})

test('paths below a mapped path are mapped too, and all others stay', () => {
  fc.assert(
    fc.property(path, path, path, (from, to, below) => {
      expect(mappedPath(`${from}${below}`, { [from]: to })).toBe(join(to, below))
      expect(mappedPath(`${from}x${below}`, { [from]: to })).toBe(`${from}x${below}`)
      expect(mappedPath(`${from}${below}`, {})).toBe(`${from}${below}`)
    }),
  )
})

const REMOTE = 'https://example.com/ann/shop.git'
const ROOT = `/clones/${cloneName(REMOTE)}`

test.each<[string, Parameters<typeof placeFor>[0], { clone?: string }, Place]>([
  ['no directory', { cwd: undefined, repository: undefined }, {}, { kind: 'own' }],
  ['a directory that exists here', { cwd: '/here', repository: undefined }, {}, { kind: 'here', cwd: '/here' }],
  [
    'a directory that is mapped to another path here',
    { cwd: '/there/a', repository: undefined },
    {},
    { kind: 'here', cwd: '/here/a' },
  ],
  [
    'a mapped directory that does not exist',
    { cwd: '/there/b', repository: undefined },
    {},
    { kind: 'nowhere', cwd: '/here/b' },
  ],
  [
    'a missing directory on a machine that does not clone',
    { cwd: '/gone', repository: { remote: REMOTE, folder: '' } },
    {},
    { kind: 'nowhere', cwd: '/gone' },
  ],
  [
    'a missing directory without a repository',
    { cwd: '/gone', repository: undefined },
    { clone: '/clones' },
    { kind: 'nowhere', cwd: '/gone' },
  ],
  [
    'a missing directory with a repository',
    { cwd: '/gone', repository: { remote: REMOTE, folder: 'web/app' } },
    { clone: '/clones' },
    { kind: 'clone', cwd: `${ROOT}/web/app`, root: ROOT, remote: REMOTE },
  ],
  [
    'an existing directory with a repository',
    { cwd: '/here', repository: { remote: REMOTE, folder: '' } },
    { clone: '/clones' },
    { kind: 'here', cwd: '/here' },
  ],
])('the place of %s', (_, task, more, place) => {
  const existing = new Set(['/here', '/here/a'])
  const local = { paths: { '/there': '/here' }, clone: more.clone, exists: (each: string) => existing.has(each) }
  expect(placeFor(task, local)).toEqual(place)
})

test('a task asks for a machine by name, hostname or label, or for none', () => {
  const named = hostNames({ name: 'build-3', labels: ['gpu'] }, 'ip-10-0-0-7')
  expect([undefined, 'build-3', 'ip-10-0-0-7', 'gpu', 'build', 'GPU'].map((on) => suits(on, named))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ])
  expect(hostNames({ labels: [] }, 'ip-10-0-0-7').name).toBe('ip-10-0-0-7')
})
