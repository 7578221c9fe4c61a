import { expect, test } from 'vitest'
import { geminiAccount } from '../../../src/coders/gemini/login.ts'

const FILE = { kind: 'file', path: '/home/dev/.gemini/oauth_creds.json' }

test.each([
  [{ HOME: '/home/dev' }, FILE],
  [
    { HOME: '/home/dev', GEMINI_API_KEY: 'k' },
    { kind: 'variable', name: 'GEMINI_API_KEY' },
  ],
  [
    { HOME: '/home/dev', GEMINI_API_KEY: 'k', GOOGLE_GENAI_USE_VERTEXAI: 'true' },
    { kind: 'variable', name: 'GOOGLE_GENAI_USE_VERTEXAI' },
  ],
  [
    { HOME: '/home/dev', GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: 'http://gateway' },
    { kind: 'variable', name: 'GOOGLE_GEMINI_BASE_URL' },
  ],
  [
    { HOME: '/home/dev', GEMINI_API_KEY: 'k', GOOGLE_GENAI_USE_VERTEXAI: 'false' },
    { kind: 'variable', name: 'GEMINI_API_KEY' },
  ],
  [{ HOME: '/home/dev', GEMINI_API_KEY: 'k', GOOGLE_GENAI_USE_GCA: 'true' }, FILE],
  [{ HOME: '/home/dev', GEMINI_API_KEY: '' }, FILE],
  [
    { HOME: '/home/dev', GEMINI_CLI_HOME: '/srv/account' },
    { kind: 'file', path: '/srv/account/.gemini/oauth_creds.json' },
  ],
  [{}, undefined],
])('with %j the login is %j', (given, login) => {
  expect(geminiAccount.find(given)).toEqual(login)
})

test('doctor names the withheld variables that would have decided the login', () => {
  expect(geminiAccount.deciding(['GEMINI_API_KEY', 'GEMINI_MODEL', 'GOOGLE_API_KEY', 'OPENAI_API_KEY'])).toEqual([
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
  ])
})
