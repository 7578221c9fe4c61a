import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearest } from '../../../src/domain/text/nearest.ts'

const word = fc.string({ unit: fc.constantFrom(...'abcdefgh-'), minLength: 3, maxLength: 10 })
const words = fc.uniqueArray(word, { maxLength: 20 })

describe('the nearest candidates', () => {
  test('are candidates, each once, no more than asked for', () => {
    fc.assert(
      fc.property(word, words, fc.integer({ min: 1, max: 5 }), (typed, candidates, most) => {
        const near = nearest(typed, candidates, most)
        expect(near.length).toBeLessThanOrEqual(most)
        expect(new Set(near).size).toBe(near.length)
        for (const each of near) expect(candidates).toContain(each)
      }),
    )
  })

  test('begin with the typed word if it is a candidate', () => {
    fc.assert(
      fc.property(word, words, (typed, candidates) => {
        expect(nearest(typed, [...candidates, typed])[0]).toBe(typed)
      }),
    )
  })

  test('include a word with one slip: a letter missing, doubled, wrong, or two swapped', () => {
    fc.assert(
      fc.property(word, fc.nat(), (meant, n) => {
        const at = n % (meant.length - 1)
        const slips = [
          meant.slice(0, at) + meant.slice(at + 1),
          meant.slice(0, at) + meant[at] + meant.slice(at),
          `${meant.slice(0, at)}z${meant.slice(at + 1)}`,
          meant.slice(0, at) + meant[at + 1] + meant[at] + meant.slice(at + 2),
        ]
        for (const typed of slips) expect([typed, nearest(typed, [meant])]).toEqual([typed, [meant]])
      }),
    )
  })

  test('are empty if nothing is close', () => {
    expect(nearest('close', ['create', 'list', 'zzzzz'])).toEqual([])
  })
})
