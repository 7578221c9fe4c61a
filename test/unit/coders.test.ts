import { expect, test } from 'vitest'
import { KNOWLEDGE } from '../../src/coders/knowledge.ts'
import { coderFor, coderInfo, coderNames } from '../../src/coders/registry.ts'
import { resetTime } from '../../src/coders/reset-time.ts'

test('a coder is loaded by its name and is what the registry says of it', async () => {
  for (const name of ['claude', 'agy', 'shell']) {
    const coder = await coderFor(name)
    const { defaultModel, contextWindow } = coderInfo(name)
    expect({ name: coder?.name, ...coder?.traits }).toMatchObject({ name, defaultModel, contextWindow })
  }
})

test('a coder that fleet cannot run yet, and one that nobody knows, are not there', async () => {
  expect(coderNames()).toContain('codex')
  expect(await Promise.all(['codex', 'nobody', 'constructor'].map(coderFor))).toEqual([undefined, undefined, undefined])
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
])('%j is a time', (text, iso) => {
  const seen = Date.parse('2026-11-15T18:20:00Z')
  expect(resetTime(`You've hit your limit · ${text}`, seen)).toBe(iso === undefined ? undefined : Date.parse(iso))
})

test('something is known of every coder', () => {
  expect(Object.keys(KNOWLEDGE).sort()).toEqual([...coderNames()].sort())
})
