import { join } from 'node:path'
import type { Login, LoginRule, Variables } from '../shared/login.ts'
import { codexHome } from './session-files.ts'

export const codexAccount: LoginRule = { find, deciding, usual: 'CODEX_API_KEY' }

/** `codex exec` takes the first of these that is set, before its own file. It ignores OPENAI_API_KEY. */
const BY_VARIABLE = ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'] as const

/**
 * A provider in the user's config.toml may name another variable, and a keyring may replace the file: only codex knows
 * whether there is a login, and whether it is still valid.
 */
function find(given: Variables): Login | undefined {
  const name = BY_VARIABLE.find((each) => (given[each] ?? '').trim() !== '')
  if (name !== undefined) return { kind: 'variable', name }
  const home = codexHome(given)
  return home === undefined ? undefined : { kind: 'file', path: join(home, 'auth.json') }
}

function deciding(names: readonly string[]): readonly string[] {
  return names.filter((name) => (BY_VARIABLE as readonly string[]).includes(name) || name === 'CODEX_HOME')
}
