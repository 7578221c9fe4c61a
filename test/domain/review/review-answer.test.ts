import { expect, test } from 'vitest'
import { reviewAnswer, verdictIn } from '../../../src/domain/review/review-answer.ts'

const PASS = '{"verdict": "pass", "reasons": []}'
const EXITED = { kind: 'exited', code: 0 } as const

test('a verdict counts only of a reviewer that ended well and without trouble', () => {
  const none = (why: string) => ({ verdict: 'none', why })
  const trouble = { code: 'overload', text: 'Overloaded' } as const
  expect([
    reviewAnswer({ end: EXITED, said: PASS, trouble: undefined }),
    reviewAnswer({ end: EXITED, said: PASS, trouble }),
    reviewAnswer({ end: { kind: 'exited', code: 1 }, said: PASS, trouble }),
    reviewAnswer({ end: { kind: 'exited', code: 1 }, said: PASS, trouble: undefined }),
    reviewAnswer({ end: { kind: 'killed' }, said: PASS, trouble: undefined }),
    reviewAnswer({ end: { kind: 'lost' }, said: PASS, trouble: undefined }),
    reviewAnswer({ end: { kind: 'timed-out', afterMs: 5000 }, said: PASS, trouble: undefined }),
    reviewAnswer({ end: EXITED, said: 'I accept it.', trouble: undefined }),
  ]).toEqual([
    { verdict: 'pass' },
    none('Overloaded'),
    none('Overloaded'),
    none('its process ended with exit status 1'),
    none('its process was killed from outside (SIGKILL), as when memory runs out'),
    none('its process ended without a recorded exit: it was killed, or the machine went down'),
    none('its process did not end within 5 s (timeouts.verify)'),
    none('its last message had no valid verdict'),
  ])
})

test('a verdict is the last line of JSON in the last message, and anything else is none', () => {
  expect(verdictIn('Fine.\n{"verdict": "pass", "reasons": []}\n')).toEqual({ verdict: 'pass' })
  expect(verdictIn('```json\n{"verdict":"reject","reasons":["a.ts: wrong"]}\n```')).toEqual({
    verdict: 'reject',
    reasons: ['a.ts: wrong'],
  })
  expect(verdictIn('{"verdict":"reject","reasons":["no"]}\n{"verdict":"pass"}')).toEqual({ verdict: 'pass' })
  for (const text of [
    '',
    'I accept it.',
    '{"verdict": "accept"}',
    '{"verdict": "reject"}',
    '{"verdict": "reject", "reasons": []}',
    '{"verdict": "reject", "reasons": "all"}',
    '{"verdict": "reject", "reasons": [1, {}, " "]}',
    '{"verdict": "pass"',
    '{verdict: pass}',
    '[{"verdict": "pass"}]',
  ]) {
    expect([text, verdictIn(text)]).toEqual([text, undefined])
  }
})

test('the reasons of a rejection are bounded', () => {
  const reasons = Array.from({ length: 100 }, () => 'x'.repeat(5000))
  const found = verdictIn(JSON.stringify({ verdict: 'reject', reasons }))
  expect(found).toEqual({ verdict: 'reject', reasons: Array.from({ length: 20 }, () => `${'x'.repeat(1000)}…`) })
})
