import { expect, test } from 'vitest'
import { servedWarning } from '../../../src/domain/run/served-model.ts'

test.each([
  ['sonnet', 'claude-sonnet-4-5-20250929'],
  ['opus[1m]', 'claude-opus-5-5'],
  ['claude-opus-5-5', 'claude-opus-5-5[1m]'],
  ['openai/gpt-5.2', 'gpt-5.2'],
  ['gemini-3-pro', 'gemini-3-pro-preview'],
  ['gemini-3-pro', 'gemini-3-pro-high'],
  ['gemini-2.5-pro', 'gemini-2.5-pro-preview-05-06'],
  ['gemini-2.0-flash', 'gemini-2.0-flash-001'],
  ['flash', 'gemini-2.5-flash'],
  ['haiku', 'claude-3-5-haiku-20241022'],
  ['claude-3-7-sonnet-latest', 'claude-3-7-sonnet-20250219'],
  ['claude-sonnet-4-5', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5@20250929'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ['gpt-4o', 'gpt-4o-2024-08-06'],
  ['gpt-4', 'gpt-4-0613'],
  ['mock', 'mock'],
  ['default', 'claude-opus-5-5'],
  [null, 'claude-opus-5-5'],
  ['sonnet', null],
])('%s may be answered by %s', (asked, served) => {
  expect(servedWarning(asked, served)).toBeUndefined()
})

test.each([
  ['opus', 'claude-sonnet-4-5-20250929'],
  ['gpt-5.2', 'gpt-5-mini'],
  ['gpt-5', 'gpt-5-mini'],
  ['gpt-5', 'gpt-5.2'],
  ['gpt-5-codex', 'gpt-5'],
  ['gpt-4o-2024-08-06', 'gpt-4o-2024-05-13'],
  ['o3', 'o3-mini'],
  ['gemini-2.5-flash', 'gemini-2.5-flash-lite'],
  ['flash', 'gemini-2.5-flash-lite'],
  ['claude-opus-4', 'claude-opus-4-5'],
  ['claude-opus-4-1-20250805', 'claude-opus-4-20250514'],
  ['qwen3:30b', 'qwen3:8b'],
  ['mock', 'mock-served'],
  ['anthropic/claude-opus-5-5', 'openai/gpt-5.2'],
])('%s answered by %s gives a warning', (asked, served) => {
  expect(servedWarning(asked, served)).toBe(`asked for ${asked}, answered by ${served}`)
})
