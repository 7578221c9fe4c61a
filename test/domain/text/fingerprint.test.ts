import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprint } from '../../../src/domain/text/fingerprint.ts'

test('a fingerprint is sixteen hex digits, equal for equal texts and different for different texts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      expect(fingerprint(one)).toMatch(/^[0-9a-f]{16}$/)
      expect(fingerprint(one) === fingerprint(other)).toBe(one === other)
    }),
  )
})

test('a fingerprint changes with one letter, its case, or two swapped letters', () => {
  const texts = ['/home/ann/shop', '/home/ann/Shop', '/home/ann/shpo', '/home/ann/shop/', '']
  expect(new Set(texts.map(fingerprint)).size).toBe(texts.length)
})
