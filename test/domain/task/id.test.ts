import { basename, isAbsolute, join, normalize } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assertTaskId,
  base36,
  childId,
  idLength,
  isTaskId,
  naturalKey,
  parentOf,
  prefixOf,
} from '../../../src/domain/task/id.ts'
import { Home } from '../../../src/platform/files/home.ts'

const bytes = fc.uint8Array({ minLength: 12, maxLength: 12 })
const id = fc
  .tuple(
    fc.constantFrom('fleet', 'my-project', 'x2'),
    bytes,
    fc.integer({ min: 3, max: 8 }),
    fc.array(fc.nat(200), { maxLength: 3 }),
  )
  .map(([prefix, random, length, children]) => [`${prefix}-${base36(random, length)}`, ...children].join('.'))

describe('a task id', () => {
  test('is always the name of a single folder', () => {
    const nearly = fc.oneof(
      id,
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('a', 'fleet-', '-', '.', '..', '/', '\\', '~', '1', '\0', '\n', ' ', '_', '%2e'), {
          maxLength: 8,
        })
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(nearly, (text) => {
        if (!isTaskId(text)) {
          expect(() => assertTaskId(text)).toThrow(/not a task id/)
          return
        }
        expect([basename(text), normalize(text), isAbsolute(text), text.startsWith('-')]).toEqual([
          text,
          text,
          false,
          false,
        ])
        expect(new Home('/home').task(text)).toBe(join('/home/tasks', text))
      }),
    )
  })

  test('made of any random bytes is valid', () => {
    fc.assert(
      fc.property(id, (made) => {
        expect(isTaskId(made)).toBe(true)
      }),
    )
  })

  test('is base36 of exactly the length asked for', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 16 }), fc.integer({ min: 1, max: 12 }), (random, length) => {
        const text = base36(random, length)
        expect(text).toMatch(new RegExp(`^[0-9a-z]{${length}}$`))
      }),
    )
  })

  test('grows with the number of tasks, from three characters to eight', () => {
    expect([0, 160, 900, 5_000, 1e12].map(idLength)).toEqual([3, 3, 4, 5, 8])
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.nat(10_000_000), (a, b) => {
        const [few, many] = a < b ? [a, b] : [b, a]
        expect(idLength(few)).toBeLessThanOrEqual(idLength(many))
      }),
    )
  })

  test('names its parent', () => {
    fc.assert(
      fc.property(id, fc.nat(), (parent, n) => {
        const child = childId(parent, n)
        expect([parentOf(child), isTaskId(child), prefixOf(child)]).toEqual([parent, true, prefixOf(parent)])
      }),
    )
    fc.assert(
      fc.property(bytes, (random) => {
        expect(parentOf(`fleet-${base36(random, 4)}`)).toBeUndefined()
      }),
    )
  })

  test('sorts after its parent and among its siblings by number', () => {
    fc.assert(
      fc.property(id, fc.nat(100_000), fc.nat(100_000), (parent, a, b) => {
        const key = (n: number) => naturalKey(childId(parent, n))
        expect(naturalKey(parent) < key(a)).toBe(true)
        expect(Math.sign(key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)).toBe(Math.sign(a - b))
      }),
    )
  })
})
