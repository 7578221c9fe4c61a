import { describe, expect, test } from 'vitest'
import type { Changes } from '../../../src/domain/run/changes.ts'
import { type Outcome, type OutcomeCode, RULES } from '../../../src/domain/run/outcome.ts'
import type { Receipt } from '../../../src/domain/run/receipt.ts'
import type { Review } from '../../../src/domain/run/review.ts'
import { approvedChanges } from '../../../src/domain/scope/approval.ts'
import { type BoundsFacts, breachesOf, breachText, judgedByBounds } from '../../../src/domain/scope/breach.ts'

const NONE: Changes = { files: [], commits: [], artifacts: [] }
const SRC = { readOnly: false, writes: ['src/**'] }
const READ_ONLY = { readOnly: true }

function found(changes: Partial<Changes>, more: Partial<BoundsFacts> = {}): readonly string[] {
  const facts = { scope: SRC, changes: { ...NONE, ...changes }, approved: [], ...more }
  return breachesOf(facts).map(({ path, why }) => `${why}: ${path}`)
}

describe('a breach', () => {
  test('is a change outside of the scope, an empty file as well', () => {
    const weak = [{ path: 'lib/empty', why: 'blank' as const }]
    expect(found({ files: ['src/a.ts', 'lib/x.ts'], weak })).toEqual(['scope: lib/empty', 'scope: lib/x.ts'])
  })

  test('is any change of a read-only task, and not its artifacts', () => {
    const scope = READ_ONLY
    expect(found({ files: ['src/a.ts'], commits: ['c1'], artifacts: ['report.md'] }, { scope })).toEqual([
      'read-only: src/a.ts',
    ])
    expect(found({ commits: ['c1'] }, { scope })).toEqual(['read-only: commit c1'])
    expect(found({ artifacts: ['report.md'] }, { scope })).toEqual([])
  })

  test('is no change that others made, or that nothing traces to the run', () => {
    const untraced = { files: ['lib/y'], commits: [], refs: [] }
    expect(found({ ofOthers: ['lib/x'], untraced })).toEqual([])
  })

  test('is no change where the task asks for its evidence, or that a person has let through', () => {
    const files = ['/out/report', '/outer', 'lib/x.ts']
    expect(found({ files }, { asked: '/out', approved: [{ path: 'lib/x.ts', why: 'scope' }] })).toEqual([
      'scope: /outer',
    ])
  })

  test('was let through as what it was: not another one of the same name, and neither a push nor what nobody saw', () => {
    const outside = [
      ...[{ path: 'lib/x.ts', why: 'scope' } as const, { path: 'git push', why: 'pushes' } as const],
      ...[{ path: '/other', why: 'deletes' } as const, { path: 'git timed out', why: 'unseen' } as const],
    ]
    const receipt = { scope: { outside } } as unknown as Receipt
    const review = { run: 'r1', decision: 'approved' } as Review
    const approved = approvedChanges([review, { ...review, run: 'r2', decision: 'rejected' }], () => receipt)
    const called = [
      { what: 'git push', kind: 'pushes' as const },
      { what: '/other', kind: 'deletes' as const },
    ]
    const changes = { files: ['lib/x.ts'], unknown: 'git timed out' }
    expect(found(changes, { approved, called })).toEqual([
      'pushes: git push',
      'deletes: /other',
      'unseen: git timed out',
    ])
    expect(found({ files: ['lib/x.ts'] }, { approved, scope: READ_ONLY })).toEqual(['read-only: lib/x.ts'])
  })

  test('may be there if nobody can tell what was changed', () => {
    expect(found({ unknown: 'git timed out' })).toEqual(['unseen: git timed out'])
    expect(found({ unknown: 'git timed out' }, { scope: { readOnly: false } })).toEqual([])
  })
})

const breaches = [
  { path: 'lib/x.ts', why: 'scope' },
  { path: 'go.mod', why: 'scope' },
] as const

test('a run that would go on or be closed waits for a person instead, and keeps its other outcome for them', () => {
  const judged = (code: OutcomeCode): Outcome => judgedByBounds({ code, text: 'words' }, breaches, SRC)
  expect(judged('done')).toEqual({
    code: 'out-of-scope',
    text: 'changed lib/x.ts, go.mod (2 changes), outside of its scope src/**',
    details: 'Undo what is outside of your scope, and do the task without it:\n- lib/x.ts\n- go.mod',
    otherwise: { code: 'done', text: 'words' },
  })
  const codes = Object.keys(RULES) as OutcomeCode[]
  const held = codes.filter((code) => judged(code).code === 'out-of-scope').sort()
  expect(held).toEqual(
    codes
      .filter((code) => ['close', 'retry', 'go-on', 'hand-over'].includes(RULES[code].fate))
      .concat('needs-review', 'needs-landing', 'out-of-scope', 'told')
      .sort(),
  )
  expect(judgedByBounds({ code: 'done', text: 'words' }, [], SRC)).toEqual({ code: 'done', text: 'words' })
})

test('the reason names the first changes and the bounds', () => {
  const many = Array.from({ length: 7 }, (_, n) => ({ path: `f${n}`, why: 'read-only' as const }))
  expect(breachText(many, READ_ONLY)).toBe(
    'changed f0, f1, f2, f3, f4, and 2 more (7 changes), and may change nothing: it is read-only',
  )
  expect(breachText([{ path: 'git timed out', why: 'unseen' }], SRC)).toBe(
    'nobody can tell whether it kept to its scope: git timed out',
  )
})
