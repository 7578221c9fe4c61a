import { expect, test } from 'vitest'
import { agyAccount } from '../../../src/coders/agy/login.ts'

const FILE = { kind: 'file', path: '/home/dev/.gemini/antigravity-cli/antigravity-oauth-token' }
const KEY = { kind: 'variable', name: 'GEMINI_API_KEY' }

test.each([
  [{ HOME: '/home/dev' }, FILE],
  [{ HOME: '/home/dev', GEMINI_API_KEY: 'k' }, KEY],
  [{ HOME: '/home/dev', GEMINI_API_KEY: '' }, FILE],
  // Those are of the other CLI of the same house.
  [{ HOME: '/home/dev', GEMINI_CLI_HOME: '/srv/account', GOOGLE_GENAI_USE_VERTEXAI: 'true' }, FILE],
  [{}, undefined],
])('with %j the login is %j', (given, login) => {
  expect(agyAccount.find(given)).toEqual(login)
})

test('doctor names the withheld variable that would have decided the login', () => {
  expect(agyAccount.deciding(['AGY_LOG', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'])).toEqual(['GEMINI_API_KEY'])
})
