import { expect, test } from 'vitest'
import { claude } from '../../../src/coders/claude/coder.ts'

test.each([
  ['claude-opus-5-5', 1_000_000],
  ['claude-sonnet-4-6', 1_000_000],
  ['claude-sonnet-4-5-20250929', 200_000],
  ['claude-sonnet-4-5-20250929[1m]', 1_000_000],
  ['sonnet[1m]', 1_000_000],
  ['claude-haiku-4-5', 200_000],
  ['sonnet', undefined],
])('the window of %s is %s before a run has told it', (model, tokens) => {
  expect(claude.windowOf?.(model)).toBe(tokens)
})
