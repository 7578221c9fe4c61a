import { expect, test } from 'vitest'
import { programsChangedText } from '../../../src/domain/landing/after-landing.ts'
import {
  afterLook,
  afterRun,
  beforeRun,
  type ChangeTimes,
  differenceText,
  type Programs,
  trusting,
} from '../../../src/domain/landing/trust.ts'

const programs = (parts: Programs['parts']): Programs => ({ fingerprint: JSON.stringify(parts), parts })
const BEFORE = programs({ 'hook pre-commit': '1', 'setting core.pager': '1', 'setting alias.st': '1' })
const AFTER = programs({ 'hook pre-commit': '2', 'setting core.pager': '1', 'setting core.sshcommand': '1' })
const CHANGED = 'hook pre-commit (different), setting alias.st (gone), setting core.sshcommand (new)'

test('people are told which hooks and settings are new, different or gone, and after which run that was seen', () => {
  const trusted = afterRun(trusting(BEFORE), AFTER, 'fleet-a1b')
  expect(trusted).toEqual({ ...BEFORE, changedBy: 'fleet-a1b', found: AFTER })
  expect(programsChangedText('fleet-m8d', trusted)).toBe(
    `hooks, filters or configuration of its repository were changed while agents ran, so none of them is run (seen at the run of fleet-a1b): ${CHANGED}; fleet review fleet-m8d shows them; fleet land fleet-m8d --trust lets them run`,
  )
})

test('a further change is told in place of the first, and one that is undone asks nobody', () => {
  const trusted = afterRun(trusting(BEFORE), AFTER, 'fleet-a1b')
  const more = programs({ ...AFTER.parts, 'info/attributes': '1' })
  expect(afterRun(trusted, more, 'fleet-m8d')).toEqual({ ...trusted, found: more })
  expect(afterRun(trusted, AFTER, 'fleet-m8d')).toBe(trusted)
  expect(afterRun(trusted, BEFORE, 'fleet-m8d')).toEqual(trusting(BEFORE))
})

test('a person trusts what was told, and what has changed since is told first', () => {
  const trusted = afterRun(trusting(BEFORE), AFTER, 'fleet-a1b')
  const more = programs({ ...AFTER.parts, 'info/attributes': '1' })
  const told = afterLook(trusted, more)
  expect(told).toEqual({ ...trusted, found: more })
  expect([afterLook(trusted, AFTER), afterLook(trusted, BEFORE), afterLook(told, more)]).toEqual(
    [AFTER, BEFORE, more].map(trusting),
  )
  expect(afterLook(undefined, AFTER)).toEqual(trusting(AFTER))
})

test('of many changes eight are named; of those that an older fleet has noted, none', () => {
  const many = programs(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`hook ${10 + i}`, '1'])))
  const names = Array.from({ length: 8 }, (_, i) => `hook ${10 + i} (new)`)
  expect(differenceText(programs({}), many)).toBe(`${names.join(', ')}, 4 more`)
  expect(differenceText(programs(null), many)).toBe('')
})

/** Agents ran from 100 to 200. */
const HOW = { task: 'fleet-a1b', agentsRanAt: (time: number) => time >= 100 && time <= 200 }
const at = (changed: Partial<ChangeTimes>): ChangeTimes => ({
  settings: [50],
  hooks: [50],
  attributes: [50],
  ...changed,
})

test("before a run, a change that was made while no agent ran is a person's, whoever else works there; any other one is doubtful", () => {
  const hook = programs({ ...BEFORE.parts, 'hook pre-commit': '3' })
  const asked = { ...BEFORE, changedBy: 'fleet-a1b', found: hook }
  const before = trusting(BEFORE)
  expect(beforeRun(before, { ...hook, changedAt: at({}) }, HOW)).toEqual(trusting(hook))
  expect(beforeRun(before, { ...hook, changedAt: at({ hooks: [50, 150] }) }, HOW)).toEqual(asked)
  // Agents change settings that start nothing with each push.
  expect(beforeRun(before, { ...hook, changedAt: at({ settings: [150] }) }, HOW)).toEqual(trusting(hook))
  expect(beforeRun(before, { ...BEFORE, changedAt: at({ hooks: [150] }) }, HOW)).toBe(before)
  expect(beforeRun(asked, { ...BEFORE, changedAt: at({}) }, HOW)).toBe(asked)
})

test('of a repository that fleet sees for the first time, what git itself puts into a new one is never doubtful', () => {
  const made = programs({
    'setting core.bare': '1',
    'setting remote.origin.url': '1',
    'setting remote.origin.fetch': '1',
  })
  const late = at({ settings: [150], hooks: [150], attributes: [150] })
  expect(beforeRun(undefined, { ...made, changedAt: late }, HOW)).toEqual(trusting(made))
  const filter = programs({ ...made.parts, 'setting filter.x.clean': '1' })
  expect(beforeRun(undefined, { ...filter, changedAt: at({}) }, HOW)).toEqual(trusting(filter))
  expect(beforeRun(undefined, { ...filter, changedAt: late }, HOW)).toEqual({
    fingerprint: '',
    parts: {},
    changedBy: 'fleet-a1b',
    found: filter,
  })
})
