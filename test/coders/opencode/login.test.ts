import { expect, test } from 'vitest'
import { opencodeAccount } from '../../../src/coders/opencode/login.ts'

test.each([
  [{ HOME: '/home/dev' }, { kind: 'file', path: '/home/dev/.local/share/opencode/auth.json' }],
  [
    { HOME: '/home/dev', ANTHROPIC_API_KEY: 'k' },
    { kind: 'file', path: '/home/dev/.local/share/opencode/auth.json' },
  ],
  [
    { HOME: '/home/dev', XDG_DATA_HOME: '/srv/account' },
    { kind: 'file', path: '/srv/account/opencode/auth.json' },
  ],
  [
    { HOME: '/home/dev', OPENCODE_AUTH_CONTENT: '{}' },
    { kind: 'variable', name: 'OPENCODE_AUTH_CONTENT' },
  ],
  [{ OPENAI_API_KEY: 'k' }, { kind: 'variable', name: 'OPENAI_API_KEY' }],
  [{ OPENAI_API_KEY: '' }, undefined],
  [{}, undefined],
])('with %j the login is %j', (given, login) => {
  expect(opencodeAccount.find(given)).toEqual(login)
})

test('doctor names the withheld variables that would have decided the login', () => {
  expect(
    opencodeAccount.deciding(['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'OPENCODE_AUTH_CONTENT', 'GH_TOKEN']),
  ).toEqual(['ANTHROPIC_API_KEY', 'OPENCODE_AUTH_CONTENT'])
})
