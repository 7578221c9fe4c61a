import { expect, test } from 'vitest'
import { isTransient, objectsOf, payloadOf, reasonOf } from '../../src/queues/beads/answer.ts'

test.each([
  ['[{"id":"a"}]', [{ id: 'a' }]],
  ['{"schema_version":1,"data":[{"id":"a"}]}', [{ id: 'a' }]],
  ['{"schema_version":1,"items":[{"id":"a"}]}', [{ id: 'a' }]],
  ['{"id":"a","schema_version":1}', [{ id: 'a', schema_version: 1 }]],
  ['{"schema_version":1,"data":{"id":"a"}}', [{ id: 'a' }]],
  ['', []],
  ['no JSON', []],
])('the objects of %s', (text, objects) => {
  expect(objectsOf(text)).toEqual(objects)
})

test('an empty answer is no answer', () => {
  expect([payloadOf(''), payloadOf('[]')]).toEqual([undefined, []])
})

test.each([
  [{ out: '{"data":{"error":"not found"},"schema_version":1}', err: '' }, 'not found'],
  [{ out: '', err: 'warning: beads.role\n{"error":"bad","schema_version":1}\n' }, 'bad'],
  [
    { out: '', err: 'warning: x\n  Fix: y\nError claiming a: issue already claimed by b\n' },
    'Error claiming a: issue already claimed by b',
  ],
  [{ out: '', err: 'Error: one\n\nError: two\n' }, 'one; two'],
  [{ out: '', err: '' }, 'it did not say why'],
])('the reason in %j', (said, reason) => {
  expect(reasonOf(said)).toBe(reason)
})

test.each([
  ['Error 1213 (40001): serialization failure', true],
  ['dial tcp: connection refused', true],
  ['issue already claimed by anna', false],
  ['issue fleet-1213a not found', false],
])('%s is worth another try: %s', (reason, transient) => {
  expect(isTransient(reason)).toBe(transient)
})
