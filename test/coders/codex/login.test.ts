import { expect, test } from 'vitest'
import { codexAccount } from '../../../src/coders/codex/login.ts'

test.each([
  [
    { CODEX_API_KEY: 'k', CODEX_ACCESS_TOKEN: 't', HOME: '/home/dev' },
    { kind: 'variable', name: 'CODEX_API_KEY' },
  ],
  [
    { CODEX_API_KEY: ' ', CODEX_ACCESS_TOKEN: 't' },
    { kind: 'variable', name: 'CODEX_ACCESS_TOKEN' },
  ],
  [
    { OPENAI_API_KEY: 'k', HOME: '/home/dev' },
    { kind: 'file', path: '/home/dev/.codex/auth.json' },
  ],
  [
    { CODEX_HOME: '/codex', HOME: '/home/dev' },
    { kind: 'file', path: '/codex/auth.json' },
  ],
  [{}, undefined],
])('with %j the login is %j', (given, login) => {
  expect(codexAccount.find(given)).toEqual(login)
})

test('doctor names the withheld variables that would have decided the login', () => {
  expect(codexAccount.deciding(['CODEX_API_KEY', 'OPENAI_API_KEY', 'CODEX_HOME', 'CODEX_SANDBOX'])).toEqual([
    'CODEX_API_KEY',
    'CODEX_HOME',
  ])
})
