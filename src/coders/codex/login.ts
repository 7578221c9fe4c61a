import { join } from 'node:path'
import type { Login, Variables } from '../shared/login.ts'
import { codexHome } from './place.ts'

/** Where `codex exec` looks for an account before its own file, in its order. OPENAI_API_KEY is not among them. */
const BY_VARIABLE = ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'] as const

/**
 * By the variables an agent gets. A provider of the user's own config.toml may name another variable, and a keyring may
 * stand in for the file: whether there is a login, and whether it is still good, only codex can say.
 */
export function codexLogin(given: Variables): Login | undefined {
  const name = BY_VARIABLE.find((each) => (given[each] ?? '').trim() !== '')
  if (name !== undefined) return { kind: 'variable', name }
  const home = codexHome(given)
  return home === undefined ? undefined : { kind: 'file', path: join(home, 'auth.json') }
}

/** Of these names those that would have decided it. */
export function codexLoginNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => (BY_VARIABLE as readonly string[]).includes(name) || name === 'CODEX_HOME')
}
