import { expect, test } from 'vitest'
import { storesOf } from '../../src/coders/stores.ts'

test('of its own store a coder writes neither its program nor settings, and the store of another account is hidden', () => {
  const { own, others } = storesOf('claude', { HOME: '/home/ann', CLAUDE_CONFIG_DIR: '/home/ann/.claude-work' })
  const store = '/home/ann/.claude-work'
  expect(own).toEqual([
    {
      path: store,
      isProgram: false,
      kept: [
        { path: `${store}/settings.json`, text: '{}\n' },
        { path: `${store}/settings.local.json`, text: '{}\n' },
        ...['hooks', 'commands', 'agents', 'skills', 'plugins'].map((name) => ({ path: `${store}/${name}` })),
      ],
    },
    { path: `${store}/.claude.json`, isProgram: false, kept: [] },
    { path: '/home/ann/.local/share/claude', isProgram: true, kept: [] },
    { path: '/home/ann/.local/state/claude', isProgram: false, kept: [] },
  ])
  expect(others).toEqual(
    expect.arrayContaining(['/home/ann/.codex', '/home/ann/.claude', '/home/ann/.claude.json', '/home/ann/.gemini']),
  )
})
