import { expect, test } from 'vitest'
import { opencode } from '../../../src/coders/opencode/coder.ts'
import type { Order } from '../../../src/ports/coder.ts'
import { ORDER as USUAL } from '../../support/order.ts'

const ORDER: Order = { ...USUAL, model: 'anthropic/claude-opus-5-5', isRoot: true }

const permissionsOf = (order: Order): unknown => JSON.parse(opencode.launch(order).env['OPENCODE_PERMISSION'] ?? '')

test('a new session gets its prompt on stdin and a title that no model has to think of, and asks nobody', () => {
  const { env, ...launch } = opencode.launch(ORDER)
  expect(launch).toEqual({
    args: [
      'run',
      '--format=json',
      '--model=anthropic/claude-opus-5-5',
      '--title=fleet 22222222-2222-4333-8444-555555555555',
      '--auto',
      '--print-logs',
      '--log-level=ERROR',
    ],
    stdin: 'prompt',
  })
  expect(Object.keys(env)).toEqual(['OPENCODE_DISABLE_AUTOUPDATE', 'OPENCODE_PERMISSION'])
})

test('of the configuration only permissions are touched: no agents of its own, and a way to the artifacts', () => {
  expect(permissionsOf(ORDER)).toEqual({
    task: 'deny',
    'external_directory*': { '/task/artifacts/**': 'allow', '/task/inbox/**': 'allow' },
  })
})

test('an old session is resumed, lean and within the project if that is asked, with its own model if none is named', () => {
  const order: Order = { ...ORDER, model: undefined, session: 'ses_1', permissions: 'workspace', lean: true }
  expect(opencode.launch(order).args).toEqual([
    'run',
    '--format=json',
    '--session=ses_1',
    '--auto',
    '--pure',
    '--print-logs',
    '--log-level=ERROR',
  ])
  // The last rule that fits decides, so the artifacts come after the rest of the world.
  expect(Object.entries(permissionsOf(order) as object)).toEqual([
    ['task', 'deny'],
    ['skill', 'deny'],
    ['external_directory*', { '*': 'deny', '/task/artifacts/**': 'allow', '/task/inbox/**': 'allow' }],
  ])
})

test('with the permissions of the settings nothing is approved in advance', () => {
  expect(opencode.launch({ ...ORDER, permissions: 'settings' }).args).not.toContain('--auto')
})

test.each([
  ['anthropic/claude-opus-5-5', 1_000_000],
  ['openrouter/anthropic/claude-haiku-4-5', 200_000],
  ['anthropic/claude-opus-4-5-20251101', 200_000],
  ['anthropic/claude-opus-4-6', 1_000_000],
  ['openrouter/anthropic/claude-opus-4.8', 1_000_000],
  ['anthropic/claude-fable-5-1', 1_000_000],
  ['google-vertex/claude-sonnet-5@default', 1_000_000],
  ['openrouter/anthropic/claude-4.6-sonnet', 1_000_000],
  ['anthropic/claude-opus-latest', 1_000_000],
  ['anthropic/claude-opus-4-20250514', 200_000],
  ['anthropic/claude-opus-4', 200_000],
  ['openrouter/anthropic/claude-opus-4.1', 200_000],
  ['anthropic/claude-sonnet-4-5-20250929', 200_000],
  ['openrouter/anthropic/claude-4.5-sonnet', 200_000],
  ['anthropic/claude-3-7-sonnet-20250219', 200_000],
  ['anthropic/claude-2.1', 200_000],
  ['openai/gpt-5.3-codex', 272_000],
  ['openai/gpt-5.4-mini', 272_000],
  ['openai/gpt-6-sol', 922_000],
  ['openai/gpt-5.3-codex-spark', 100_000],
  ['google/gemini-3.1-pro-preview', 1_048_576],
  ['google/gemini-3-pro-image', undefined],
  ['opencode/kimi-k2.6', 262_144],
  ['zai/glm-4.6', 200_000],
  ['zai/glm-5.3', 1_000_000],
  ['ollama/llama3', undefined],
])('the window of %s is %s', (model, tokens) => {
  expect(opencode.windowOf?.(model)).toBe(tokens)
})
