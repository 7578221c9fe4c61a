import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprint } from '../../../src/domain/text/fingerprint.ts'

test('is sixteen hex digits, the same for the same text and another for another', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
      expect(fingerprint(one)).toMatch(/^[0-9a-f]{16}$/)
      expect(fingerprint(one) === fingerprint(other)).toBe(one === other)
    }),
  )
})

test('sees what people change in a setting: a letter, its case, two that change places', () => {
  const texts = ['/home/ann/shop', '/home/ann/Shop', '/home/ann/shpo', '/home/ann/shop/', '']
  expect(new Set(texts.map(fingerprint)).size).toBe(texts.length)
})
