import { expect, test } from 'vitest'
import { verifyCheck } from '../../src/checks/verify.ts'
import type { CheckSubject } from '../../src/ports/checks.ts'
import type { Verifier } from '../../src/ports/verifier.ts'

const SUBJECT = {
  run: { id: 'run-1', task: 'fleet-a1b', cwd: '/shop', project: '/shop' },
  folder: '/attempt',
  changes: undefined,
  work: { attempts: [], others: [] },
  closeAt: 'verified',
} as unknown as CheckSubject

/** A verifier with these answers. */
function checkWith(answers: Partial<Verifier>, tamper: 'review' | 'off' = 'off') {
  const verifier = {
    hasCommands: () => true,
    verify: async () => ({ kind: 'passed', known: true, commands: [], text: '' }),
    lostTests: async () => ({ removed: 0, skipped: 0 }),
    ...answers,
  } as Verifier
  return verifyCheck({ verifier, policy: () => ({ tamper: () => tamper }) }).run(SUBJECT, new AbortController().signal)
}

test('a pass that was known before says so', async () => {
  expect(await checkWith({})).toEqual({ kind: 'passed', proves: 'verified', known: true, commands: [], warnings: [] })
})

test('tests that are gone are a warning also where nobody looks at them', async () => {
  const lostTests = async () => ({ removed: 2, skipped: 1 })
  expect(await checkWith({ lostTests })).toMatchObject({
    kind: 'passed',
    warnings: ['2 tests removed, 1 switched off'],
  })
})
