import { expect, test } from 'vitest'
import { transcriptLines } from '../../../src/cli/render/transcript.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import type { Turn } from '../../../src/views/transcript.ts'

const run = { coder: 'claude', model: null, attempt: 2, startedAt: 0 } as Run

function shown(turn: Turn, width?: number): string[] {
  const options = width === undefined ? { now: 0 } : { now: 0, width }
  const lines = transcriptLines({ task: 'fleet-a', run, turns: [turn] }, options)
  return lines.slice(3).map((line) => line.map(({ text }) => text).join(''))
}

test('a turn of any length is shown on a terminal to a bound, with the place of the rest', () => {
  const text = 'x'.repeat(10_000_000)
  const lines = shown({ kind: 'said', text, subagent: false }, 102)
  expect(lines).toHaveLength(1002)
  expect(lines.at(-1)).toBe('  … the rest of 10000000 characters: fleet task fleet-a output --attempt 2')
})

test('without a terminal the whole turn is shown', () => {
  const text = 'x'.repeat(200_000)
  expect(shown({ kind: 'said', text, subagent: false })).toEqual([`  ${text}`])
})
