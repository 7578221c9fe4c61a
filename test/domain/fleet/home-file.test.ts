import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FileFacts, type FoundFile, madeWhileAgentsRan, standingOf } from '../../../src/domain/fleet/home-file.ts'

const content = fc.constantFrom<string | null>(null, '', 'a', 'b')
const found: fc.Arbitrary<FoundFile> = fc.oneof(
  content.map((text) => ({ text })),
  fc.constant({ problem: 'is not a file' }),
)
const facts: fc.Arbitrary<FileFacts> = fc.record({
  accepted: fc.oneof(content, fc.constant(undefined)),
  found,
  exposed: fc.boolean(),
  pending: fc.boolean(),
})

test('nothing that an agent can have made is ever in force: it is as accepted, or held', () => {
  fc.assert(
    fc.property(facts, (each) => {
      const standing = standingOf(each)
      if (each.exposed || each.pending) expect(standing).not.toBe('new')
      // `same` puts in force the file that a person left, or no file if there was none.
      if (standing === 'same') expect(each.found).toEqual({ text: each.accepted ?? null })
    }),
  )
})

test('a file as a person left it is never held, and without agents no first edit is', () => {
  fc.assert(
    fc.property(facts, (each) => {
      const { accepted, found: now, exposed, pending } = each
      if ('text' in now && now.text === accepted) expect(standingOf(each)).toBe('same')
      else if (!exposed && !pending) expect(standingOf(each)).toBe('new')
    }),
  )
})

const time = fc.integer({ min: 0, max: 10_000 })
const exposures = fc.array(
  fc.record({ since: time, length: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.constant(null)) }).map((each) => ({
    since: each.since,
    until: each.length === null ? null : each.since + each.length,
  })),
  { maxLength: 5 },
)

test('a change within any time of agents can be theirs, and one outside of all cannot', () => {
  fc.assert(
    fc.property(time, exposures, (at, times) => {
      const isWithin = times.some(({ since, until }) => since <= at && (until === null || at <= until))
      const isNear = times.some(({ since }) => since - 20 <= at && at < since)
      if (isWithin || isNear) expect(madeWhileAgentsRan(at, times)).toBe(true)
      else expect(madeWhileAgentsRan(at, times)).toBe(false)
    }),
  )
})

test('more times of agents never make a change a person’s', () => {
  fc.assert(
    fc.property(time, exposures, exposures, (at, some, more) => {
      if (madeWhileAgentsRan(at, some)) expect(madeWhileAgentsRan(at, [...some, ...more])).toBe(true)
    }),
  )
})

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
