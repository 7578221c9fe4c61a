import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failingPart } from '../../../src/domain/verify/failing-part.ts'
import {
  type CommandEnd,
  type CommandTry,
  landingSubject,
  nextVerifyStep,
  subjectOfProcess,
  verdictText,
  verifyProcessId,
} from '../../../src/domain/verify/verification.ts'

const LINT = { name: 'lint', command: 'npm run lint' }
const TEST = { name: 'test', command: 'npm test' }
const tried = (command: typeof LINT, end: CommandEnd): CommandTry => {
  return { ...command, end, ms: 1, tail: '', failing: '', log: '/log', leftovers: 0 }
}
const exit = (code: number): CommandEnd => ({ kind: 'exited', code })
const TIMED_OUT: CommandEnd = { kind: 'timed-out', afterMs: 1_200_000 }

test.each<[string, readonly CommandTry[], object]>([
  ['the first command comes first', [], { do: 'run', command: LINT, round: 1 }],
  ['the next comes when one has passed', [tried(LINT, exit(0))], { do: 'run', command: TEST, round: 1 }],
  ['a red one is run once more', [tried(LINT, exit(1))], { do: 'run', command: LINT, round: 2 }],
  ['twice red has failed', [tried(LINT, exit(1)), tried(LINT, exit(2))], { do: 'end', verdict: 'failed' }],
  ['a timeout is tried once more', [tried(LINT, TIMED_OUT)], { do: 'run', command: LINT, round: 2 }],
  ['two are no verdict', [tried(LINT, TIMED_OUT), tried(LINT, { kind: 'lost' })], { do: 'end', verdict: 'no-verdict' }],
  [
    'one of each leaves it open',
    [tried(LINT, TIMED_OUT), tried(LINT, exit(1))],
    { do: 'run', command: LINT, round: 3 },
  ],
  [
    'red, then green is flaky',
    [tried(LINT, exit(1)), tried(LINT, exit(0)), tried(TEST, exit(0))],
    { do: 'end', verdict: 'flaky' },
  ],
  [
    'a timeout, then green has passed',
    [tried(LINT, TIMED_OUT), tried(LINT, exit(0)), tried(TEST, exit(0))],
    { do: 'end', verdict: 'passed' },
  ],
  [
    'a try of another line does not count',
    [tried({ ...LINT, command: 'old' }, exit(1))],
    { do: 'run', command: LINT, round: 1 },
  ],
])('%s', (_, tries, step) => {
  expect(nextVerifyStep([LINT, TEST], tries)).toEqual(step)
})

test('whatever the commands do, a verification ends within three tries of each', () => {
  const end = fc.constantFrom<CommandEnd>(exit(0), exit(1), TIMED_OUT, { kind: 'lost' }, { kind: 'flooded', bytes: 1 })
  fc.assert(
    fc.property(fc.array(end, { minLength: 6, maxLength: 6 }), (ends) => {
      const tries: CommandTry[] = []
      for (const each of ends) {
        const step = nextVerifyStep([LINT, TEST], tries)
        if (step.do === 'end') return
        tries.push(tried(step.command, each))
      }
      expect(nextVerifyStep([LINT, TEST], tries)).toMatchObject({ do: 'end' })
    }),
  )
})

test('the text of a verdict names the command and what it did', () => {
  expect(verdictText('failed', [tried(TEST, exit(3))])).toBe('test (npm test) ended with exit status 3')
  expect(verdictText('no-verdict', [tried(TEST, TIMED_OUT), tried(TEST, TIMED_OUT)])).toBe(
    'test (npm test) gave no verdict in 2 tries: it did not end within 1200 s (timeouts.verify)',
  )
})

test('the failing part has the lines that name a failure, and the end, without colours', () => {
  const lines = [
    '\u001b[31mFAIL\u001b[39m src/cart.test.ts > adds up',
    ...Array.from({ length: 500 }, (_, i) => `line ${i}`),
  ]
  const part = failingPart(`${lines.join('\n')}\nTests 1 failed\n\n`)
  expect(part.split('\n').slice(0, 3)).toEqual(['FAIL src/cart.test.ts > adds up', '[...]', 'line 461'])
  expect(part.endsWith('line 499\nTests 1 failed')).toBe(true)
})

test('the failing part is bounded, whatever is printed', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 500 }), { maxLength: 300 }), (lines) => {
      expect(failingPart(lines.map((line) => `FAIL ${line}`).join('\n'), 1000).length).toBeLessThanOrEqual(1100)
    }),
  )
  expect(failingPart('x'.repeat(1 << 20)).length).toBeLessThanOrEqual(4000)
})

test('the marker of a process tells the run, or the landing, for which it works', () => {
  const run = '0b8c5a3e-1f8e-4f55-9f5f-0123456789ab'
  const commit = '9f8e7d6c5b4a39281706f5e4d3c2b1a098765432'
  const ids = [run, verifyProcessId(run, 12), verifyProcessId(landingSubject(run, commit), 1)]
  expect(ids.map(subjectOfProcess)).toEqual([{ run }, { run }, { run, landing: '9f8e7d6c5b4a' }])
})
