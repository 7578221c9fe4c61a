import { expect, test } from 'vitest'
import { REAL_CODERS } from '../../scripts/real-coders.mjs'
import { CODERS, coderFor, coderNames } from '../../src/coders/registry.ts'
import { resetIn } from '../../src/coders/shared/reset-in.ts'
import { resetTime } from '../../src/coders/shared/reset-time.ts'

test('a coder is loaded by its name and is what its descriptor says', async () => {
  for (const { name, program = '/bin/sh', defaultModel, contextWindow } of CODERS) {
    const coder = await coderFor(name)
    const { binary, traits } = coder ?? {}
    expect({ name: coder?.name, binary, ...traits }).toMatchObject({
      name,
      binary: program,
      defaultModel,
      contextWindow,
    })
  }
})

test('an unknown name is no coder', async () => {
  expect(await Promise.all(['nobody', 'constructor'].map(coderFor))).toEqual([undefined, undefined])
})

test.each([
  ['resets 7:18pm (UTC)', '2026-11-15T19:18:00Z'],
  ['resets 8pm (UTC)', '2026-11-15T20:00:00Z'],
  ['resets 6am (UTC)', '2026-11-16T06:00:00Z'],
  ['resets 12am (UTC)', '2026-11-16T00:00:00Z'],
  ['resets 12pm (UTC)', '2026-11-16T12:00:00Z'],
  ['resets 8pm (Europe/Berlin)', '2026-11-15T19:00:00Z'],
  ['resets 1am (Asia/Kolkata)', '2026-11-15T19:30:00Z'],
  ['resets 2pm (America/New_York)', '2026-11-15T19:00:00Z'],
  ['resets Nov 20, 7am (UTC)', '2026-11-20T07:00:00Z'],
  ['resets Nov 20 at 7:30am (UTC)', '2026-11-20T07:30:00Z'],
  ['resets Jan 2, 7am (UTC)', '2027-01-02T07:00:00Z'],
  ['resets 7pm (Nowhere/Land)', undefined],
  ['resets 13pm (UTC)', undefined],
  ['resets Foo 2, 7am (UTC)', undefined],
  ['resets soon', undefined],
  ['resets 6:20pm (UTC)', '2026-11-15T18:20:00Z'],
  ['try again at 7:26 PM.', undefined],
])('%j is a time', (text, iso) => {
  const seen = Date.parse('2026-11-15T18:20:30Z')
  expect(resetTime(`You've hit your limit · ${text}`, seen)).toBe(iso === undefined ? undefined : Date.parse(iso))
})

test.each([
  ['try again at 7:26 PM.', 'UTC', '2026-11-15T19:26:00Z'],
  ['or try again at 7:26 PM.', 'America/New_York', '2026-11-16T00:26:00Z'],
  ['Try again at 12:05 AM.', 'Asia/Kolkata', '2026-11-15T18:35:00Z'],
  ['try again at 6:20 PM.', 'UTC', '2026-11-15T18:20:00Z'],
  ['try again at Nov 19th, 2026 3:02 AM.', 'UTC', '2026-11-19T03:02:00Z'],
  ['try again at Jan 1st, 2027 12:00 PM.', 'Europe/Berlin', '2027-01-01T11:00:00Z'],
  ['try again at Foo 1st, 2027 12:00 PM.', 'UTC', undefined],
  ['try again at 7:26 PM.', 'Nowhere/Land', undefined],
  ['Try again later.', 'UTC', undefined],
])('%j on a clock of %s is a time', (text, zone, iso) => {
  const seen = Date.parse('2026-11-15T18:20:30Z')
  expect(resetTime(`You’ve hit your usage limit. ${text}`, seen, zone)).toBe(
    iso === undefined ? undefined : Date.parse(iso),
  )
})

/** fleet runs the script itself: there is no program to record. */
const OWN = ['shell']

test('a coder is called tried if and only if its real program is tested', () => {
  const proven = CODERS.filter((coder) => coder.knowledge.proven).map((coder) => coder.name)
  expect(proven.sort()).toEqual([...Object.keys(REAL_CODERS), ...OWN].sort())
})

test('no two coders share a name', () => {
  expect([...new Set(coderNames())]).toEqual(coderNames())
})

test.each([
  ['Resets in 2h18m58s.', (2 * 3600 + 18 * 60 + 58) * 1000],
  ['Your quota will reset after 53s.', 53_000],
  ['It will reset in 5 days 10 hours.', 130 * 3_600_000],
  ['It will reset in 1 day.', 24 * 3_600_000],
  ['Please retry in 3600.5s.', 3_600_500],
  ['Please retry in 812ms.', 812],
  ['Suggested retry after 60s.', 60_000],
  ['try again in 5 minutes', 300_000],
  [`resets in ${'9'.repeat(400)}h`, undefined],
  ['resets in a while', undefined],
  ['resets 7pm (UTC)', undefined],
])('%j is a time from now', (text, millis) => {
  const seen = Date.parse('2026-11-15T18:20:00Z')
  expect(resetIn(`quota reached. ${text}`, seen)).toBe(millis === undefined ? undefined : seen + millis)
})
