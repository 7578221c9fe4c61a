import { join } from 'node:path'
import type { Login, Variables } from '../shared/login.ts'

const KEY = 'GEMINI_API_KEY'

/**
 * By the variables an agent gets, and from what others wrote: nobody here has tried it. It keeps its login in the keyring
 * of the session, and in this file where it finds none, as in a container. A key counts for it only where its own settings
 * say so. No variable moves its folder but that of the home.
 */
export function agyLogin(given: Variables): Login | undefined {
  if ((given[KEY] ?? '') !== '') return { kind: 'variable', name: KEY }
  const home = given['HOME'] ?? ''
  return home === ''
    ? undefined
    : { kind: 'file', path: join(home, '.gemini', 'antigravity-cli', 'antigravity-oauth-token') }
}

/** Of these names those that would have decided it. */
export function agyLoginNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => name === KEY)
}
