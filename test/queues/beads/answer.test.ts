import { expect, test } from 'vitest'
import { isRefusal, isTransient, objectsOf, payloadOf, reasonOf } from '../../../src/queues/beads/answer.ts'

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

test('an empty answer contains no objects', () => {
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

test.each([
  [{ code: 13, out: '', err: 'Error updating fleet-a: assignee mismatch: fleet-a is held by "", expected "x"' }, true],
  [{ code: 1, out: '', err: 'Error: line 1 (close fleet-z "r"): not found: issue fleet-z' }, true],
  [{ code: 1, out: '{"data":{"error":"resolving ID fleet-z: no issue found matching \\"fleet-z\\""}}', err: '' }, true],
  [{ code: 1, out: '', err: 'Error claiming fleet-a: issue already claimed by anna' }, true],
  [{ code: 1, out: '', err: 'Error: write journal: no space left on device' }, false],
  [{ code: 1, out: '', err: 'Error: lock held by another process' }, false],
  [{ code: null, out: '', err: '' }, false],
])('bd would say no again after %j: %s', (said, refused) => {
  expect(isRefusal(said)).toBe(refused)
})
