import { expect, test } from 'vitest'
import { servedWarning } from '../../src/domain/served.ts'

test.each([
  ['sonnet', 'claude-sonnet-4-5-20250929'],
  ['opus[1m]', 'claude-opus-5-5'],
  ['claude-opus-5-5', 'claude-opus-5-5[1m]'],
  ['openai/gpt-5.2', 'gpt-5.2'],
  ['gemini-3-pro', 'gemini-3-pro-preview'],
  ['default', 'claude-opus-5-5'],
  [null, 'claude-opus-5-5'],
  ['sonnet', null],
])('%s answered by %s is what was asked for', (asked, served) => {
  expect(servedWarning(asked, served)).toBeUndefined()
})

test.each([
  ['opus', 'claude-sonnet-4-5-20250929'],
  ['gpt-5.2', 'gpt-5-mini'],
  ['anthropic/claude-opus-5-5', 'openai/gpt-5.2'],
])('%s answered by %s is not', (asked, served) => {
  expect(servedWarning(asked, served)).toBe(`asked for ${asked}, answered by ${served}`)
})
