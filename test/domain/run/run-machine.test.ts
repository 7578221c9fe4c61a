import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/domain/run/outcome.ts'
import { type RunEffect, type RunInput, type RunState, step } from '../../../src/domain/run/run-machine.ts'

const begun: readonly RunInput[] = [{ kind: 'starting' }, { kind: 'launched' }]
const outcome = (text: string): Outcome => ({ code: 'error', text })

test('an agent that ends by itself is judged when no process of it is left, and settled once', () => {
  expect(play([...begun, { kind: 'exited' }, { kind: 'gone' }, { kind: 'judged', outcome: outcome('x') }])).toEqual({
    state: { phase: 'ended', outcome: outcome('x') },
    effects: ['confirm', 'judge', 'settle'],
  })
})

test('the first stop decides the outcome, whatever the evidence and later stops say', () => {
  const inputs: RunInput[] = [
    ...begun,
    { kind: 'stop', want: { code: 'killed', text: 'stopped by ann', by: 'ann' } },
    { kind: 'stop', want: { code: 'stalled', text: 'silent' } },
    { kind: 'exited' },
    { kind: 'gone' },
    { kind: 'judged', outcome: { code: 'done', text: 'done' } },
  ]
  expect(play(inputs)).toEqual({
    state: { phase: 'ended', outcome: { code: 'killed', text: 'stopped by ann', by: 'ann' } },
    effects: ['note', 'terminate', 'confirm', 'judge', 'settle'],
  })
})

test.each([
  ['a watchdog', { code: 'stalled', text: 'silent' }],
  ['nobody in particular', undefined],
] as const)('a person who stops a run that %s is stopping already means the task', (_, want) => {
  const killed: Outcome = { code: 'killed', text: 'stopped by ann', by: 'ann' }
  const stopped: RunInput = { kind: 'stop', ...(want && { want }) }
  const byPerson: RunInput = { kind: 'stop', want: killed }
  const end: RunInput[] = [{ kind: 'gone' }, { kind: 'judged', outcome: outcome('exit 143') }]
  const ended = { phase: 'ended', outcome: killed }
  expect(play([...begun, stopped, byPerson, { kind: 'grace-over' }, ...end])).toEqual({
    state: ended,
    effects: ['note', 'terminate', 'note', 'kill', 'judge', 'settle'],
  })
  expect(play([...begun, stopped, { kind: 'grace-over' }, byPerson, ...end])).toEqual({
    state: ended,
    effects: ['note', 'terminate', 'kill', 'note', 'judge', 'settle'],
  })
})

test('a task that was taken away is not ours to decide about, whoever else stops its run', () => {
  const [stopped, killed, away] = (['stopped', 'killed', 'taken-away'] as const).map((code) => ({ code, text: code }))
  const end: RunInput[] = [{ kind: 'gone' }, { kind: 'judged', outcome: { code: 'question', text: 'Tabs?' } }]
  for (const wants of [
    [stopped, away],
    [away, stopped],
    [killed, away],
    [away, killed],
  ]) {
    const stops = wants.map((want): RunInput => ({ kind: 'stop', want: want as Outcome }))
    expect(play([...begun, ...stops, ...end]).state).toEqual({ phase: 'ended', outcome: away })
  }
})

test('a run that left its bounds waits for a person, also where it was interrupted for a message', () => {
  const told: Outcome = { code: 'told', text: 'interrupted for a message by ann', by: 'ann' }
  const outside: Outcome = { code: 'out-of-scope', text: 'changed x', otherwise: outcome('no claim') }
  const after = (want: Outcome) =>
    play([...begun, { kind: 'stop', want }, { kind: 'gone' }, { kind: 'judged', outcome: outside }]).state
  expect(after(told)).toEqual({ phase: 'ended', outcome: { ...outside, otherwise: told } })
  const killed: Outcome = { code: 'killed', text: 'stopped by ann', by: 'ann' }
  expect(after(killed)).toEqual({ phase: 'ended', outcome: killed })
})

test('a stop does not lose the question of an agent, unless a person stopped it or has the task', () => {
  const question: Outcome = { code: 'question', text: 'Tabs?' }
  const after = (code: Outcome['code']) =>
    play([
      ...begun,
      { kind: 'stop', want: { code, text: code } },
      { kind: 'gone' },
      { kind: 'judged', outcome: question },
    ]).state
  for (const code of ['stopped', 'stalled', 'wall-clock'] as const) {
    expect(after(code)).toEqual({ phase: 'ended', outcome: question })
  }
  // Its session is as full as it was.
  expect(after('context-full')).toEqual({ phase: 'ended', outcome: { ...question, fresh: true } })
  for (const code of ['killed', 'paused', 'taken-away', 'cut-off'] as const) {
    expect(after(code)).toEqual({ phase: 'ended', outcome: { code, text: code } })
  }
})

test('a stop without a reason lets the evidence decide', () => {
  const inputs: RunInput[] = [
    ...begun,
    { kind: 'stop' },
    { kind: 'grace-over' },
    { kind: 'gone' },
    { kind: 'judged', outcome: { code: 'done', text: 'fine' } },
  ]
  expect(play(inputs)).toEqual({
    state: { phase: 'ended', outcome: { code: 'done', text: 'fine' } },
    effects: ['note', 'terminate', 'kill', 'judge', 'settle'],
  })
})

test('a run whose launch failed is settled without being judged', () => {
  expect(play([{ kind: 'launch-failed', outcome: outcome('no binary') }])).toEqual({
    state: { phase: 'ended', outcome: outcome('no binary') },
    effects: ['settle'],
  })
})

test('a person who stops a run whose agent has just gone means the task, not what was left of it', () => {
  const inputs: RunInput[] = [
    ...begun,
    { kind: 'exited' },
    { kind: 'stop', want: { code: 'killed', text: 'stopped by ann', by: 'ann' } },
    { kind: 'gone' },
    { kind: 'judged', outcome: outcome('exit 1') },
  ]
  expect(play(inputs)).toEqual({
    state: { phase: 'ended', outcome: { code: 'killed', text: 'stopped by ann', by: 'ann' } },
    effects: ['confirm', 'note', 'kill', 'judge', 'settle'],
  })
})

test('a stop while a start is unanswered waits for the answer, and the more urgent way wins', () => {
  const killed: Outcome = { code: 'killed', text: 'stopped by ann', by: 'ann' }
  const stops: RunInput[] = [
    { kind: 'starting' },
    { kind: 'stop', want: killed },
    { kind: 'stop', want: { code: 'stopped', text: 'the supervisor' }, atOnce: true },
  ]
  expect(play(stops)).toMatchObject({ state: { phase: 'starting' }, effects: [] })
  expect(play([...stops, { kind: 'launch-failed', outcome: outcome('no room') }])).toEqual({
    state: { phase: 'ended', outcome: killed },
    effects: ['settle'],
  })
  expect(play([...stops, { kind: 'launched' }])).toEqual({
    state: { phase: 'stopping', since: 3, want: killed, forced: true },
    effects: ['note', 'kill'],
  })
})

test('a person who stops a run while it is being judged means the task; a watchdog comes too late', () => {
  const judged: RunInput = { kind: 'judged', outcome: { code: 'done', text: 'done' } }
  const killed: Outcome = { code: 'killed', text: 'stopped by ann', by: 'ann' }
  const late: Outcome = { code: 'wall-clock', text: 'too long' }
  const after = (want: Outcome) => play([...begun, { kind: 'gone' }, { kind: 'stop', want }, judged]).state
  expect(after(killed)).toEqual({ phase: 'ended', outcome: killed })
  expect(after(late)).toEqual({ phase: 'ended', outcome: { code: 'done', text: 'done' } })
})

const done: Outcome = { code: 'done', text: 'done' }
const toCheck: readonly RunInput[] = [...begun, { kind: 'gone' }, { kind: 'judged', outcome: done, checks: 2 }]

test('only a run that is judged done, and that nobody stopped, is checked', () => {
  expect(play(toCheck)).toEqual({ state: { phase: 'checking' }, effects: ['judge', 'check'] })
  const judged = (outcome: Outcome, ...stops: RunInput[]) =>
    play([...begun, { kind: 'gone' }, ...stops, { kind: 'judged', outcome, checks: 2 }])
  const ended = (outcome: Outcome) => ({ phase: 'ended', outcome })
  expect(judged(outcome('exit 1')).state).toEqual(ended(outcome('exit 1')))
  const killed: Outcome = { code: 'killed', text: 'stopped by ann', by: 'ann' }
  expect(judged(done, { kind: 'stop', want: killed })).toEqual({
    state: ended(killed),
    effects: ['judge', 'note', 'settle'],
  })
  // A supervisor that stops begins no check, so the run is tried again; without checks it would be done.
  const stopped: Outcome = { code: 'stopped', text: 'the supervisor was stopped' }
  expect(judged(done, { kind: 'stop', want: stopped }).state).toEqual(ended(stopped))
  expect(judged(outcome('exit 1'), { kind: 'stop', want: stopped }).state).toEqual(ended(outcome('exit 1')))
})

test('the checks decide, once', () => {
  const failed: Outcome = { code: 'verify-failed', text: 'the tests fail' }
  expect(play([...toCheck, { kind: 'checked', outcome: failed }, { kind: 'checked', outcome: done }])).toEqual({
    state: { phase: 'ended', outcome: failed },
    effects: ['judge', 'check', 'settle'],
  })
})

test.each(['killed', 'paused', 'taken-away', 'stopped', 'cut-off'] as const)(
  'a run that is stopped while it is checked (%s) ends with that, once its checks have ended',
  (code) => {
    const want: Outcome = { code, text: code }
    const stops: RunInput[] = [
      { kind: 'stop', want },
      { kind: 'stop', want: { code: 'stalled', text: 'silent' } },
    ]
    expect(play([...toCheck, ...stops])).toEqual({
      state: { phase: 'checking', want },
      effects: ['judge', 'check', 'note', 'abort-checks'],
    })
    expect(play([...toCheck, ...stops, { kind: 'checked', outcome: done }]).state).toEqual({
      phase: 'ended',
      outcome: want,
    })
  },
)

test('a person who kills a run whose checks are being aborted means the task; the checks are aborted once', () => {
  const killed: Outcome = { code: 'killed', text: 'stopped by ann', by: 'ann' }
  const stops: RunInput[] = [
    { kind: 'stop', want: { code: 'stopped', text: 'the supervisor was stopped' } },
    { kind: 'stop', want: killed },
  ]
  expect(play([...toCheck, ...stops])).toEqual({
    state: { phase: 'checking', want: killed },
    effects: ['judge', 'check', 'note', 'abort-checks', 'note'],
  })
})

const anyOutcome = fc.record({
  code: fc.constantFrom('error', 'done', 'killed', 'stalled', 'question'),
  text: fc.string(),
}) as fc.Arbitrary<Outcome>
const anyInput: fc.Arbitrary<RunInput> = fc.oneof(
  fc.constantFrom<RunInput>({ kind: 'starting' }, { kind: 'launched' }),
  anyOutcome.map((each): RunInput => ({ kind: 'launch-failed', outcome: each })),
  fc
    .record({ want: fc.option(anyOutcome, { nil: undefined }), atOnce: fc.boolean() })
    .map(({ want, atOnce }): RunInput => ({ kind: 'stop', atOnce, ...(want === undefined ? {} : { want }) })),
  fc.constantFrom<RunInput>({ kind: 'grace-over' }, { kind: 'exited' }, { kind: 'gone' }),
  fc.record({ outcome: anyOutcome, checks: fc.nat({ max: 2 }) }).map((each): RunInput => ({ kind: 'judged', ...each })),
  anyOutcome.map((each): RunInput => ({ kind: 'checked', outcome: each })),
)

/** From the beginning, or from where checks run: chance alone hardly ever gets there. */
const anyInputs = fc
  .tuple(fc.constantFrom<readonly RunInput[]>([], toCheck), fc.array(anyInput, { maxLength: 30 }))
  .map((parts) => parts.flat())

test('any inputs in any order lead to one settle at most, after the run has gone or was never launched, and to nothing after it', () => {
  fc.assert(
    fc.property(anyInputs, (inputs) => {
      let state: RunState = { phase: 'preparing' }
      let launched = false
      let gone = false
      let settled = 0
      let want: Outcome | undefined
      for (const [at, input] of inputs.entries()) {
        const before: RunState = state
        const stepped = step(state, input, at)
        if (before.phase === 'starting' && input.kind === 'launched') launched = true
        const live = ['running', 'leaving', 'stopping'].includes(before.phase)
        if (live && input.kind === 'gone') gone = true
        if (before.phase === 'starting' && input.kind === 'stop' && before.stop === undefined) want = input.want
        if (before.phase === 'running' && input.kind === 'stop') want = input.want
        if (before.phase === 'checking' && input.kind === 'stop') want ??= input.want
        if (stepped.state.phase === 'checking' && before.phase === 'judging')
          expect([input.kind, want]).toEqual(['judged', undefined])
        const again = ['starting', 'leaving', 'stopping', 'judging', 'checking'].includes(before.phase)
        const isPersons = input.kind === 'stop' && input.want?.code === 'killed'
        if (again && isPersons && want?.code !== 'killed') want = input.want
        if (settled > 0) expect(stepped).toEqual({ state: before, effects: [] })
        for (const effect of stepped.effects) {
          if (effect.do !== 'settle') continue
          settled++
          expect(launched ? gone : true).toBe(true)
          // Nobody knows yet whether it runs.
          if (before.phase === 'starting') expect(input.kind).toBe('launch-failed')
          const asked =
            (input.kind === 'judged' || input.kind === 'checked') &&
            input.outcome.code === 'question' &&
            want?.code !== 'killed'
          if (launched && want !== undefined) expect(effect.outcome).toMatchObject(asked ? input.outcome : want)
          expect(stepped.state).toEqual({ phase: 'ended', outcome: effect.outcome })
        }
        if (stepped.state.phase === 'ended' && before.phase !== 'ended') expect(settled).toBe(1)
        state = stepped.state
      }
    }),
    { numRuns: 2000 },
  )
})

test('every state has a way to the end', () => {
  fc.assert(
    fc.property(anyInputs, (inputs) => {
      const rest: RunInput[] = [
        ...begun,
        { kind: 'stop', want: outcome('last') },
        { kind: 'gone' },
        { kind: 'judged', outcome: outcome('last') },
        { kind: 'checked', outcome: outcome('last') },
      ]
      expect(play([...inputs, ...rest]).state.phase).toBe('ended')
    }),
  )
})

function play(inputs: readonly RunInput[]): { state: RunState; effects: RunEffect['do'][] } {
  let state: RunState = { phase: 'preparing' }
  const effects: RunEffect['do'][] = []
  for (const [at, input] of inputs.entries()) {
    const stepped = step(state, input, at)
    state = stepped.state
    effects.push(...stepped.effects.map((each) => each.do))
  }
  return { state, effects }
}
