import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { QUEUE_KINDS, queueKindOf } from '../src/queues/registry.ts'

const src = resolve(import.meta.dirname, '../src')

/** Every file that loading this one loads at once; types and dynamic imports load nothing. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const code = readFileSync(join(src, file), 'utf8')
  for (const [, path = ''] of code.matchAll(/^import (?!type\b)[^'"]*'(\.[^']+)'/gm))
    loadedBy(relative(src, join(src, dirname(file), path)), seen)
  return seen
}

test('every command may ask for the names of coders and queues: their descriptors load no coder and no queue', () => {
  const light =
    /^(errors\.ts|domain\/(text|queue)\/.*|coders\/(registry|\w+\/descriptor)\.ts|queues\/(registry|\w+\/descriptor)\.ts)$/
  const loaded = [...loadedBy('coders/registry.ts'), ...loadedBy('queues/registry.ts')]
  expect(loaded.length).toBeGreaterThan(10)
  expect(loaded.filter((file) => !light.test(file))).toEqual([])
})

test.each([
  ['local', 'local'],
  ['beads', 'beads'],
  ['postgres://me@host/db', 'postgres'],
  ['postgresql://host/db?schema=x', 'postgres'],
  ['mysql://host/db', undefined],
  ['', undefined],
])('the queue %j is of the kind %s, and of no other', (setting, name) => {
  expect(queueKindOf(setting)?.name).toBe(name)
  expect(QUEUE_KINDS.filter((kind) => kind.fits(setting)).length).toBeLessThanOrEqual(1)
})
