import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberedOption } from '../../../src/domain/agent/numbered-option.ts'

test.each([
  ['2', ['sqlite', 'postgres'], 'postgres'],
  ['postgres', ['sqlite', 'postgres'], 'postgres'],
  ['3', ['sqlite', 'postgres'], '3'],
  ['0', ['sqlite'], '0'],
  ['1', ['2', '1'], '1'],
  ['02', ['a', 'b'], '02'],
  ['2', [], '2'],
])('%j of %j means %j', (text, options, answer) => {
  expect(numberedOption(text, options)).toBe(answer)
})

test('it is always the text itself or one of the options', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.nat().map(String)), fc.array(fc.string()), (text, options) => {
      expect([text, ...options]).toContain(numberedOption(text, options))
    }),
  )
})
