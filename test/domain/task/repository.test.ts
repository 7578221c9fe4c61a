import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cloneName } from '../../../src/domain/fleet/clone-name.ts'
import { publicRemote, repositoryOf, withRepository } from '../../../src/domain/task/repository.ts'
import { withSettings } from '../../../src/domain/task/settings.ts'

test.each<[string, string | undefined]>([
  ['https://github.com/ann/shop.git', 'https://github.com/ann/shop.git'],
  ['https://ann:s3cret@example.com:8443/shop', 'https://example.com:8443/shop'],
  ['https://ghp_token@github.com/ann/shop.git', 'https://github.com/ann/shop.git'],
  ['https://example.com/shop.git?private_token=abc#x', 'https://example.com/shop.git'],
  ['ssh://git@example.com:22/ann/shop', 'ssh://git@example.com:22/ann/shop'],
  ['ssh://git:s3cret@example.com/shop', 'ssh://git@example.com/shop'],
  ['git@github.com:ann/shop.git', 'git@github.com:ann/shop.git'],
  ['example.com:shop', 'example.com:shop'],
  ['/srv/git/shop.git', '/srv/git/shop.git'],
  ['file:///srv/git/shop.git', 'file:///srv/git/shop.git'],
  ['../shop.git', undefined],
  ['shop', undefined],
  ['', undefined],
  ['--upload-pack=touch /tmp/x', undefined],
  ['-oProxyCommand=x:y', undefined],
  ['ssh://-oProxyCommand=x/y', undefined],
  ['ext::sh -c touch% /tmp/x', undefined],
  ['ext://x', undefined],
  ['https:///shop', undefined],
  ['git@host:a\nb', undefined],
])('%j is shared as %j', (given, shared) => {
  expect(publicRemote(given)).toBe(shared)
})

const secret = fc.stringMatching(/^[A-Za-z0-9]{12}$/)

test('no password survives, and a shareable address does not change again', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,9}$/)
  const url = fc.tuple(fc.constantFrom('https', 'http', 'ssh', 'git'), secret, name, name)
  fc.assert(
    fc.property(url, ([scheme, password, host, path]) => {
      const shared = publicRemote(`${scheme}://me:${password}@${host}/${path}`)
      expect(shared).toBeDefined()
      expect(shared).not.toContain(password)
      expect(publicRemote(shared ?? '')).toBe(shared)
    }),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      const shared = publicRemote(text)
      if (shared === undefined) return
      expect(publicRemote(shared)).toBe(shared)
      expect(shared.startsWith('-')).toBe(false)
    }),
  )
})

test('a clone has a recognisable folder name, and no two remotes share one', () => {
  expect(cloneName('git@github.com:ann/shop.git')).toMatch(/^shop-[0-9a-f]{10}$/)
  expect(cloneName('https://example.com/')).toMatch(/^example\.com-[0-9a-f]{10}$/)
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(cloneName(one)).toMatch(/^\w[\w.-]*-[0-9a-f]{10}$/)
      expect(cloneName(one) === cloneName(other)).toBe(one === other)
    }),
  )
})

test('the repository is stored beside the settings, and removed when the task gets another directory', () => {
  const repository = { remote: 'git@github.com:ann/shop.git', folder: 'web' }
  const metadata = withRepository({ team: 'x', fleet: { cwd: '/a', coder: 'shell' } }, repository)
  expect(metadata).toEqual({ team: 'x', fleet: { cwd: '/a', coder: 'shell', ...repository } })
  expect(repositoryOf(metadata)).toEqual(repository)
  expect(repositoryOf(withSettings(metadata, { cwd: '/a', model: 'm' }))).toEqual(repository)
  expect(withSettings(metadata, { cwd: '/b' })).toEqual({ team: 'x', fleet: { cwd: '/b', coder: 'shell' } })
  expect(withRepository(metadata, undefined)).toEqual({ team: 'x', fleet: { cwd: '/a', coder: 'shell' } })
  expect(withRepository({}, undefined)).toEqual({})
})

test.each([
  { remote: 'ext::sh' },
  { remote: 'https://a:b@c/d' },
  { remote: 5 },
  { remote: '/srv/x.git', folder: '../up' },
  { remote: '/srv/x.git', folder: '/etc' },
  { remote: '/srv/x.git', folder: 'a/../../b' },
  'x',
])('invalid metadata is ignored: %j', (fleet) => {
  expect(repositoryOf({ fleet })).toBeUndefined()
})
