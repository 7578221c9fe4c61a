import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ShortJson } from '../../../src/domain/text/short-json.ts'

function short(
  bytes: Buffer,
  cuts: readonly number[] = [],
  how?: { text?: number; most?: number },
): string | undefined {
  const json = new ShortJson(how)
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (let i = 1; i < edges.length; i++) json.feed(bytes.subarray(edges[i - 1], edges[i]))
  return json.finish()
}

const documents = fc.dictionary(fc.string({ unit: 'binary', maxLength: 5 }), fc.jsonValue({ stringUnit: 'binary' }))
const cuts = fc.array(fc.nat(10_000), { maxLength: 5 })

test('a document without a long text or a long list is unchanged, wherever the chunks were cut', () => {
  fc.assert(
    fc.property(documents, cuts, (document, at) => {
      const text = JSON.stringify(document)
      expect(short(Buffer.from(text), at)).toBe(text)
    }),
  )
})

test('the result is JSON again, its texts are cut where they are too long, and the rest is as it was', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '😀'), maxLength: 60 })
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 8 }), cuts, (list, at) => {
      const found = JSON.parse(short(Buffer.from(JSON.stringify({ list, after: 1 })), at, { text: 20 }) ?? '')
      expect(found.after).toBe(1)
      expect(found.list).toHaveLength(list.length)
      for (const [n, text] of list.entries()) {
        const whole = found.list[n].replace(/\uFFFD+$/, '')
        expect(text.startsWith(whole)).toBe(true)
        expect(Buffer.byteLength(JSON.stringify(found.list[n]))).toBeLessThan(30)
        if (Buffer.byteLength(JSON.stringify(text)) < 16) expect(found.list[n]).toBe(text)
      }
    }),
  )
})

test('what stands after a long list, or around it, stays; the list keeps its first entries', () => {
  fc.assert(
    fc.property(fc.nat(4), fc.constantFrom(7, 'text', { a: [1] }, [[]]), (depth, entry) => {
      const long = Array.from({ length: 2000 }, () => entry)
      let document: Record<string, unknown> = { before: 'b', long, type: 'inner' }
      for (let i = 0; i < depth; i++) document = { id: i, in: document, name: `level ${i}` }
      const text = short(Buffer.from(JSON.stringify(document)), [], { most: 64 * 1024 }) ?? ''
      expect(text.length).toBeLessThan(64 * 1024 + 1000)
      let found = JSON.parse(text)
      for (let i = depth - 1; i >= 0; i--) {
        expect(found).toMatchObject({ id: i, name: `level ${i}` })
        found = found.in
      }
      expect(found).toMatchObject({ before: 'b', type: 'inner' })
      expect(found.long).toEqual(long.slice(0, found.long.length))
    }),
    { numRuns: 20 },
  )
})

test.each([
  ['no JSON', 'x'.repeat(100)],
  ['a list', '[1,2]'],
  ['an object without an end', '{"a":"b"'],
  ['a text without an end', '{"a":"b'],
  ['one that is too deep', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`],
  ['a number of thousands of digits', `{"a":${'1'.repeat(5000)}}`],
])('%s is not kept', (_, text) => {
  expect(short(Buffer.from(text))).toBeUndefined()
})

test('anything gives bounded text, and never throws', () => {
  const bytes = fc.array(fc.constantFrom(...Buffer.from('{}[],:"\\ u0aé')), { maxLength: 3000 })
  fc.assert(
    fc.property(bytes, (some) => {
      const text = short(Buffer.from([0x7b, ...some]), [], { text: 10, most: 500 })
      expect(text?.length ?? 0).toBeLessThan(5000)
    }),
  )
})
