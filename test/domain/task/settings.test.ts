import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SETTING_NAMES, settingsOf, type TaskSettings, withSettings } from '../../../src/domain/task/settings.ts'

const metadata = fc.dictionary(fc.oneof(fc.constant('fleet'), fc.string()), fc.jsonValue(), { noNullPrototype: true })
const change: fc.Arbitrary<TaskSettings> = fc.record(
  {
    cwd: fc.string().map((text) => (text === '' ? '' : `/${text}`)),
    coder: fc.string(),
    model: fc.string(),
    command: fc.array(fc.string()).map((lines) => lines.join('\n')),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const given = (settings: TaskSettings) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''))

describe('the settings of a task', () => {
  test('can be read from any metadata, and are always non-empty strings', () => {
    fc.assert(
      fc.property(metadata, (anything) => {
        for (const [field, value] of Object.entries(settingsOf(anything))) {
          expect(SETTING_NAMES).toContain(field)
          expect(typeof value === 'string' && value !== '').toBe(true)
        }
      }),
    )
  })

  test('merge the change into the old settings, and an empty value removes one', () => {
    fc.assert(
      fc.property(metadata, change, (before, changed) => {
        const expected = given({ ...settingsOf(before), ...changed })
        expect(settingsOf(withSettings(before, changed))).toEqual(expected)
      }),
    )
  })

  test('leave all other metadata alone, and the given object too', () => {
    fc.assert(
      fc.property(metadata, change, (before, changed) => {
        const copy = structuredClone(before)
        const { fleet: _after, ...rest } = withSettings(before, changed)
        const { fleet: _before, ...same } = before
        expect([rest, before]).toEqual([same, copy])
      }),
    )
  })

  test('survive a round trip through JSON', () => {
    fc.assert(
      fc.property(change, (changed) => {
        expect(settingsOf(JSON.parse(JSON.stringify(withSettings({}, changed))))).toEqual(given(changed))
      }),
    )
  })
})
