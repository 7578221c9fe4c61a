import { expect, test } from 'vitest'
import { standingOf } from '../../../src/domain/fleet/home-file.ts'

test('a file that never was and is not there is no change, whatever agents run', () => {
  const never = { accepted: undefined, found: { text: null } }
  expect(standingOf({ ...never, exposed: true, pending: false })).toBe('same')
  // It was added while agents ran, and removed again.
  expect(standingOf({ ...never, exposed: true, pending: true })).toBe('same')
  expect(standingOf({ ...never, exposed: false, pending: true })).toBe('same')
})

test('a file that was added or removed while agents ran is held', () => {
  expect(standingOf({ accepted: undefined, found: { text: 'x' }, exposed: true, pending: false })).toBe('held')
  expect(standingOf({ accepted: 'x', found: { text: null }, exposed: true, pending: false })).toBe('held')
})

test('the first look takes in what is there, also that nothing is', () => {
  for (const text of ['x', null])
    expect(standingOf({ accepted: undefined, found: { text }, exposed: false, pending: false })).toBe('new')
})
