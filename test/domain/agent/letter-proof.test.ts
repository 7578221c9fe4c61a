import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Letter, letterOf } from '../../../src/domain/agent/inbox.ts'
import { isSigned, letterKey, letterText } from '../../../src/domain/agent/letter-proof.ts'
import { redact } from '../../../src/domain/text/redact.ts'
import { newKeyPair } from '../../../src/platform/runtime/key-pair.ts'

const keys = fc.constant(undefined).map(() => letterKey(newKeyPair()))
const letters = fc.record({
  v: fc.constant(1 as const),
  run: fc.string({ minLength: 1 }),
  at: fc.nat(),
  item: fc.record({ kind: fc.constant('done' as const), summary: fc.string({ unit: 'binary' }) }),
}) as fc.Arbitrary<Letter>

test('a signed letter is a letter, and only the key of its own run fits it', () => {
  fc.assert(
    fc.property(keys, keys, letters, (own, other, letter) => {
      const text = letterText(letter, own.secret)
      expect(letterOf(text)).toMatchObject({ run: letter.run, at: letter.at })
      expect(isSigned(text, own.check)).toBe(true)
      expect(isSigned(text, other.check)).toBe(false)
    }),
  )
})

test('a signed letter that was changed in any field is no longer signed', () => {
  const { secret, check } = letterKey(newKeyPair())
  const letter: Letter = { v: 1, run: 'r1', at: 5, item: { kind: 'done', summary: 'all of it' } }
  const signed = JSON.parse(letterText(letter, secret))
  for (const change of [
    { run: 'r2' },
    { at: 6 },
    { item: { kind: 'done', summary: '' } },
    { more: 1 },
    { proof: 'AA' },
  ]) {
    expect({ change, signed: isSigned(JSON.stringify({ ...signed, ...change }), check) }).toEqual({
      change,
      signed: false,
    })
  }
})

test('without a secret of the right form a letter is not signed', () => {
  const { check } = letterKey(newKeyPair())
  const letter: Letter = { v: 1, run: 'r1', at: 5, item: { kind: 'note', text: 'hello' } }
  for (const secret of [undefined, '', 'fleet-key-', 'fleet-key-short', 'AAAA']) {
    expect(JSON.parse(letterText(letter, secret))).toEqual(letter)
    expect(isSigned(letterText(letter, secret), check)).toBe(false)
  }
})

test('any text and any key is answered, never thrown at', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (text, check) => void isSigned(text, check)))
})

test('the secret of a run is masked in every text, wherever it comes from', () => {
  fc.assert(
    fc.property(keys, ({ secret }) => {
      expect(redact(`FLEET_RUN_KEY=${secret}\nPATH=/bin`)).toBe('FLEET_RUN_KEY=[redacted]\nPATH=/bin')
    }),
  )
})
