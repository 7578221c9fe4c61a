import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newestNotes } from '../../../src/domain/agent/note.ts'

const TS = '2026-11-15T14:02:11.000Z'
const line = (entry: object) => JSON.stringify({ v: 1, ts: TS, run: 'r', attempt: 2, ...entry })
const note = (text: string) => line({ event: 'note', kind: 'note', text })

test('the newest notes are found among other log entries, oldest first', () => {
  const log = [
    'cut short"}',
    note('one'),
    line({ event: 'done', summary: 'x' }),
    note('two'),
    note('three'),
    '{"event":"no',
  ].join('\n')
  const at = Date.parse(TS)
  expect(newestNotes(log, 2)).toEqual([
    { at, attempt: 2, text: 'two' },
    { at, attempt: 2, text: 'three' },
  ])
  expect(newestNotes(log, 9)).toHaveLength(3)
})

test('every line of a log is a note or is skipped', () => {
  const entry = fc.dictionary(
    fc.constantFrom('event', 'ts', 'text', 'attempt'),
    fc.oneof(fc.jsonValue(), fc.constant('note'), fc.constant(TS)),
  )
  const any = fc.oneof(
    fc.string(),
    fc.json(),
    entry.map((each) => JSON.stringify(each)),
  )
  fc.assert(
    fc.property(fc.array(any), fc.nat({ max: 5 }), (lines, most) => {
      const notes = newestNotes(lines.join('\n'), most)
      expect(notes.length).toBeLessThanOrEqual(most)
      for (const each of notes) expect([typeof each.text, Number.isFinite(each.at)]).toEqual(['string', true])
    }),
  )
})
