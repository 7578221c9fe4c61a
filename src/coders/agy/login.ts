import { join } from 'node:path'
import type { Login, LoginRule, Variables } from '../shared/login.ts'

const KEY = 'GEMINI_API_KEY'

export const agyAccount: LoginRule = {
  find,
  deciding: (names) => names.filter((name) => name === KEY),
  usual: KEY,
  pays: 'if its settings.json says "modelProvider": "gemini", otherwise its own login',
  elsewhere: 'in the keyring of your session, which fleet does not open, or none',
}

/**
 * From published reports, untested. agy keeps its login in the keyring of the session, or in this file if there is no
 * keyring, as in a container. It uses a key only if its settings say so. Only HOME moves its folder.
 */
function find(given: Variables): Login | undefined {
  if ((given[KEY] ?? '') !== '') return { kind: 'variable', name: KEY }
  const home = given['HOME'] ?? ''
  return home === ''
    ? undefined
    : { kind: 'file', path: join(home, '.gemini', 'antigravity-cli', 'antigravity-oauth-token') }
}
