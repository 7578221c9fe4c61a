import { expect, test } from 'vitest'
import { type FilesSeen, withGrowth } from '../../../../src/domain/run/diagnosis/growth.ts'

const WALL = 1_700_000_000_000

/** When the files last grew, as each of these looks shows it: one every 30 s of the monotonic clock. */
function grewAt(...looks: readonly FilesSeen[]): readonly number[] {
  let growth: ReturnType<typeof withGrowth> | undefined
  return looks.map((files, n) => {
    growth = withGrowth(growth, files, { now: n * 30_000, wall: WALL + n * 30_000 })
    return growth.grewAt
  })
}

test('files grew at the time of their newest change', () => {
  const files = { changedAt: WALL - 5000, bytes: 100 }
  expect(grewAt(files, files, { changedAt: WALL + 58_000, bytes: 200 })).toEqual([-5000, -5000, 58_000])
})

test('a file with a time in the future grows once, and again when it differs', () => {
  const files = { changedAt: WALL + 3_600_000, bytes: 100 }
  expect(grewAt(files, files, files, { ...files, bytes: 200 })).toEqual([0, 0, 0, 90_000])
})
