import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { elapsed, moment, upcoming } from '../../../src/domain/text/moment.ts'

// People read times in their own time zone.
beforeEach(() => void vi.stubEnv('TZ', 'UTC'))
afterEach(() => void vi.unstubAllEnvs())

const NOW = Date.parse('2026-11-15T14:02:11Z')

test.each([
  [-5, '0s'],
  [59_999, '59s'],
  [245_000, '4m05s'],
  [7_620_000, '2h07m'],
  [273_600_000, '3d04h'],
])('%d ms are %s', (millis, text) => {
  expect(elapsed(millis)).toBe(text)
})

test('a moment is as short as the day allows', () => {
  expect(moment(NOW, NOW)).toBe('14:02:11')
  expect(moment(Date.parse('2026-11-12T09:05:00Z'), NOW)).toBe('11-12 09:05')
  expect(moment(Date.parse('2025-11-12T09:05:00Z'), NOW)).toBe('2025-11-12')
})

test('a time to come has seconds only where a person may sit and wait for it', () => {
  expect(upcoming(NOW + 5000, NOW)).toBe('14:02:16')
  expect(upcoming(NOW + 119_000, NOW)).toBe('14:04:10')
  expect(upcoming(NOW + 120_000, NOW)).toBe('14:04')
  const midnight = Date.parse('2026-11-15T23:59:50Z')
  expect(upcoming(midnight + 20_000, midnight)).toBe('00:00:10')
  expect(upcoming(midnight + 200_000, midnight)).toBe('11-16 00:03')
})
