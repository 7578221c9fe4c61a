import fc from 'fast-check'
import { expect, test } from 'vitest'
import { machineOf, runningElsewhere, sameHome } from '../../../src/domain/fleet/claimer.ts'
import { isOpen, mergedQuestions, recordFrom, stateAt, withAnswer } from '../../../src/domain/fleet/shared-record.ts'
import { freshState, type Question, type TaskState } from '../../../src/domain/run/run.ts'

const questions = fc.uniqueArray(
  fc.record({
    id: fc.nat(),
    task: fc.constant('fleet-a'),
    run: fc.constantFrom('r1', 'r2', 'r3', 'r4'),
    askedAt: fc.nat(10),
    text: fc.constant('which?'),
    options: fc.constant([]),
    suggestion: fc.constant(null),
    answeredAt: fc.option(fc.nat(), { nil: null }),
    answeredBy: fc.constant(null),
    answer: fc.constantFrom('this', 'that'),
  }),
  { selector: ({ run }) => run },
)

const runsOf = (all: readonly Question[], which: (question: Question) => boolean = () => true) =>
  new Set(all.filter(which).map(({ run }) => run))

test('merging two machines loses no question and no answer, and a recorded answer wins', () => {
  fc.assert(
    fc.property(questions, questions, (recorded, own) => {
      const merged = mergedQuestions(recorded, own)
      expect(runsOf(merged)).toEqual(new Set([...runsOf(recorded), ...runsOf(own)]))
      const answered = (question: Question) => !isOpen(question)
      expect(runsOf(merged, answered)).toEqual(new Set([...runsOf(recorded, answered), ...runsOf(own, answered)]))
      for (const question of recorded.filter(answered)) expect(merged).toContainEqual(question)
      expect(merged.map(({ askedAt }) => askedAt)).toEqual(merged.map(({ askedAt }) => askedAt).sort((a, b) => a - b))
      expect(mergedQuestions(merged, own)).toEqual(merged)
    }),
  )
})

test('a session is resumed only in its own home, even if its machine was renamed', () => {
  const state = { ...freshState('fleet-a'), session: 's1', failures: 1 }
  const record = { task: 'fleet-a', host: 'fleet-aaaaaa@web-1', machine: 'web-1', state, next: null, questions: [] }
  expect(stateAt(record, 'fleet-aaaaaa@renamed')).toEqual(state)
  expect(stateAt(record, 'fleet-bbbbbb@web-1')).toEqual({ ...state, session: null })
  expect(withAnswer(record, { text: 'this', by: 'anna', at: 1 })).toBeUndefined()
})

test('a record of an older fleet still tells why its task waits', () => {
  const { waitingKind: _, ...older } = freshState('fleet-a')
  const read = (state: object) =>
    recordFrom('fleet-a', { state: { ...older, ...state } as TaskState }).state.waitingKind
  const lastOutcome = { code: 'missing-cwd', text: 'no such folder' }
  expect(read({ waiting: 'no such folder', lastOutcome })).toBe('refused')
  expect(read({ waiting: 'retry 2 of 3: lost', waitingUntil: 99, lastOutcome })).toBe('retry')
  expect(read({ waiting: 'paused by anna' })).toBe('paused')
  expect(read({ waiting: 'of a newer fleet', waitingKind: 'constructor' })).toBe('paused')
  expect(read({ waiting: null, waitingKind: 'retry' })).toBe(null)
})

test('claimer names distinguish supervisors from people and from each other', () => {
  expect([machineOf('fleet-a1b2c3@web-2'), machineOf('fleet@web-2'), machineOf('anna'), machineOf('')]).toEqual([
    'web-2',
    undefined,
    undefined,
    undefined,
  ])
  expect([sameHome('', ''), sameHome('anna', 'anna')]).toEqual([false, false])
  const host = 'fleet-a1b2c3@web-2'
  const running = { status: 'in_progress', assignee: host }
  expect(runningElsewhere(running, [])).toEqual({ host, machine: 'web-2' })
  expect(runningElsewhere(running, [{ id: host, name: 'build' }])).toEqual({ host, machine: 'build' })
  expect(runningElsewhere({ ...running, status: 'open' }, [])).toBeUndefined()
  expect(runningElsewhere({ ...running, assignee: 'anna' }, [])).toBeUndefined()
  // This home's run holds the claim, even under an older machine name; otherwise it has lost the task.
  expect(
    ['fleet-a1b2c3@web-2', 'fleet-a1b2c3@old', 'fleet-ffffff@web-1'].map((own) => runningElsewhere(running, [], own)),
  ).toEqual([undefined, undefined, { host, machine: 'web-2' }])
})
