import { expect, test } from 'vitest'
import { conflictOutcome, redOutcome } from '../../../src/domain/landing/after-landing.ts'
import type { Landing } from '../../../src/domain/landing/landing.ts'
import { type LandAs, type LandingFacts, type Plan, planFor } from '../../../src/domain/landing/plan.ts'

const FACTS: LandingFacts = { tip: 't', isBehind: false, own: 2, merges: false, isOnLostBase: false }
const since = (base: 'base' | 'target', squash = false): Plan => ({ how: 'rebase', since: base, squash })

test.each<[string, Partial<LandingFacts>, Record<LandAs, Plan>]>([
  [
    'on the tip of its target',
    {},
    { commits: { how: 'as-it-is' }, squash: { how: 'squash' }, merge: { how: 'merge' } },
  ],
  [
    'behind its target',
    { isBehind: true },
    { commits: since('target'), squash: { how: 'squash' }, merge: { how: 'merge' } },
  ],
  [
    'with a merge of its own',
    { isBehind: true, merges: true },
    { commits: { how: 'merge' }, squash: { how: 'squash' }, merge: { how: 'merge' } },
  ],
  [
    'that began on commits which are not on the target any more',
    { isBehind: true, isOnLostBase: true },
    { commits: since('base'), squash: since('base', true), merge: since('base') },
  ],
  [
    'which the target has already',
    { own: 0, isBehind: true },
    { commits: { how: 'nothing' }, squash: { how: 'nothing' }, merge: { how: 'nothing' } },
  ],
])('how work lands: %s', (_, facts, plans) => {
  const all = { ...FACTS, ...facts }
  expect({
    commits: planFor('commits', all),
    squash: planFor('squash', all),
    merge: planFor('merge', all),
  }).toEqual(plans)
})

const LANDING = { branch: 'fleet/x', base: 'b'.repeat(40), bounces: 2 } as Landing

test('an agent is told how to bring its work, and no other, onto the target', () => {
  const clash = { files: ['a.txt', 'ü\n'], output: 'CONFLICT' }
  const told = conflictOutcome(LANDING, { target: 'main', plan: since('target') }, clash)
  expect(told).toEqual({
    code: 'conflict',
    text: 'its work passed, but conflicts with what is on main by now: "a.txt", "ü\\n". Bring fleet/x onto main in your worktree (git rebase main), resolve the conflicts so that both changes keep their purpose, check the result, and say fleet done again.',
    details: 'What git printed:\n    CONFLICT',
    times: 3,
  })
  const red = redOutcome(LANDING, { target: 'main', plan: since('base') }, { by: 'verify failed', output: '' })
  expect(red).toEqual({
    code: 'verify-failed',
    text: 'its work passed alone, but not together with what is on main by now: verify failed. Bring fleet/x onto main in your worktree (git rebase --onto main bbbbbbbbbbbb), fix what fails there, and say fleet done again.',
  })
})
