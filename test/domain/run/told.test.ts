import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_FIGURES, type Run } from '../../../src/domain/run/run.ts'
import { lastHeard, newsSince, type Subject, toldIn, toldOf } from '../../../src/domain/run/told.ts'

const SUBJECT: Subject = {
  task: { id: 'fleet-a1b', title: 'T', description: 'd', design: '', acceptance_criteria: '', notes: 'old' },
  comments: [],
  dependencies: ['fleet-x'],
}
const NOTHING = { whole: false, texts: {}, comments: [], addedDependencies: [], removedDependencies: [] }
const comment = (id: string, author: string) => ({ id, author, issue_id: 'fleet-a1b', text: 't', created_at: '' })

test('without a change there is no news, whatever the texts', () => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(text, text, text, fc.array(text), (title, description, notes, ids) => {
      const subject: Subject = {
        task: { ...SUBJECT.task, title, description, notes },
        comments: ids.map((id) => comment(id, 'ann')),
        dependencies: ids,
      }
      expect(newsSince(toldIn(JSON.parse(JSON.stringify({ told: toldOf(subject) }))), subject, [])).toEqual(NOTHING)
    }),
  )
})

test('each change is news once', () => {
  const now: Subject = {
    task: { ...SUBJECT.task, title: 'U', description: 'e', notes: 'old\nnew' },
    comments: [comment('1', 'ann'), comment('2', 'agent:fleet-a1b'), comment('3', 'agent:fleet-z')],
    dependencies: ['fleet-y'],
  }
  expect(newsSince(toldOf(SUBJECT), now, [])).toEqual({
    whole: false,
    title: 'U',
    texts: { description: 'e' },
    notes: { kind: 'added', text: 'new' },
    comments: [comment('1', 'ann'), comment('3', 'agent:fleet-z')],
    addedDependencies: ['fleet-y'],
    removedDependencies: ['fleet-x'],
  })
  expect(newsSince(toldOf(now), now, [])).toEqual(NOTHING)
})

test("fleet's own notes and the agent's are not a person's, and edited notes are told whole", () => {
  const notes = (text: string, own: readonly string[]) =>
    newsSince(toldOf(SUBJECT), { ...SUBJECT, task: { ...SUBJECT.task, notes: text } }, own).notes
  expect(notes('old\nQUESTION: a\nb\nby me', ['QUESTION: a\nb', 'by me'])).toBeUndefined()
  expect(notes('old\nQUESTION: a\nb\nhers\nby me', ['QUESTION: a\nb', 'by me'])).toEqual({
    kind: 'added',
    text: 'hers',
  })
  expect(notes('rewritten', [])).toEqual({ kind: 'replaced', text: 'rewritten' })
  expect(notes('', [])).toEqual({ kind: 'replaced', text: '' })
})

test('if nothing is known of what was told, the whole task is', () => {
  expect(newsSince(undefined, SUBJECT, [])).toEqual({
    ...NOTHING,
    whole: true,
    texts: { description: 'd' },
    notes: { kind: 'added', text: 'old' },
  })
})

test('any launch record is read, or counts as unknown', () => {
  fc.assert(fc.property(fc.jsonValue(), (told) => void toldIn({ told })))
  fc.assert(fc.property(fc.jsonValue(), (record) => void toldIn(record)))
  expect(toldIn({ told: null })).toBeUndefined()
})

test('the newest attempt that the model answered decides what a session knows', () => {
  const run = (attempt: number, toolCalls: number, session: string) =>
    ({ attempt, resumes: attempt === 1 ? null : 's', figures: { ...NO_FIGURES, toolCalls, session } }) as Run
  const next = { attempt: 4, resumes: 's' }
  const heard = (...runs: readonly Run[]) => lastHeard(runs, next)?.attempt
  expect(heard(run(1, 2, 's'), run(2, 1, 's'), run(3, 0, 's'))).toBe(2)
  expect(heard(run(1, 0, 's'), run(2, 0, 's'))).toBe(1)
  expect(heard(run(1, 5, 'another'), run(2, 0, 's'))).toBe(2)
  expect(heard()).toBeUndefined()
})
