import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { configurationKey, parseLimit, parseStatuses } from '../../../src/domain/queue/bd-configuration.ts'
import { kvKeyProblem, memoryKeyOf } from '../../../src/domain/queue/value-keys.ts'

describe('the key of a memory', () => {
  test.each([
    ['always run tests with -race flag', 'always-run-tests-with-race-flag'],
    ['  Auth: uses JWT!  ', 'auth-uses-jwt'],
    ['one two three four five six seven eight nine ten', 'one-two-three-four-five-six-seven-eight'],
    [`${'a'.repeat(59)} bcd`, 'a'.repeat(59)],
    ['!!!', ''],
    ['', ''],
  ])('of %j is %j', (insight, key) => expect(memoryKeyOf(insight)).toBe(key))

  test('is short, plain, and its own key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (insight) => {
        const key = memoryKeyOf(insight)
        expect(key).toMatch(/^([a-z0-9]+(-[a-z0-9]+){0,7})?$/)
        expect(key.length).toBeLessThanOrEqual(60)
        expect(memoryKeyOf(key)).toBe(key)
      }),
    )
  })
})

test('a key-value pair has no key that bd keeps for itself', () => {
  for (const key of ['', ' ', 'kv.x', 'memory.x', 'jira.url', 'export.auto']) expect(kvKeyProblem(key)).toBeDefined()
  for (const key of ['x', 'memory', 'jira', 'a b', 'ü']) expect(kvKeyProblem(key)).toBeUndefined()
})

describe('custom statuses', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/).map((each) => `x${each}`)
  const category = fc.constantFrom('active', 'wip', 'done', 'frozen')

  test('are read as they were written, whatever the spaces', () => {
    fc.assert(
      fc.property(fc.dictionary(name, category, { maxKeys: 6, noNullPrototype: true }), (all) => {
        const text = Object.entries(all).map(([each, kind]) => `${each}:${kind}`)
        const read = Object.entries(all).map(([each, kind]) => ({ name: each, category: kind }))
        expect(parseStatuses(text.join(' , '))).toEqual(read.sort((a, b) => (a.name < b.name ? -1 : 1)))
      }),
    )
  })

  test('are a list or a sentence, for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        const read = parseStatuses(text)
        if (typeof read === 'string') expect(read).not.toBe('')
        else for (const each of read) expect(each.name).toMatch(/^[a-z][a-z0-9_-]*$/)
      }),
    )
  })
})

test('a limit is a number, none, or without effect', () => {
  expect(['12', ' 3 ', '0', 'many', '-1', '', undefined].map(parseLimit)).toEqual([
    12,
    3,
    0,
    0,
    0,
    undefined,
    undefined,
  ])
})

test('only keys that something reads are configuration', () => {
  for (const key of ['status.custom', 'lint.sections.bug', 'custom.x', 'list.limit'])
    expect(configurationKey(key)).toBeDefined()
  for (const key of ['status.customs', 'lint.sections.', 'custom.', 'jira.url', ''])
    expect(configurationKey(key)).toBeUndefined()
})
