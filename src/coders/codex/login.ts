import { join } from 'node:path'
import type { Login, LoginRule, LoginSettings, Variables } from '../shared/login.ts'
import { codexHome } from './session-files.ts'

export const codexAccount: LoginRule = { find, settings, deciding, usual: 'CODEX_API_KEY' }

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

/** The stores of `cli_auth_credentials_store` other than the file. */
const STORES: Readonly<Record<string, string>> = {
  keyring: 'in the keyring of your session',
  auto: 'in the keyring of your session or in its file',
  ephemeral: 'in the memory of one codex process only',
}

function settings(given: Variables): LoginSettings | undefined {
  const home = codexHome(given)
  return home === undefined ? undefined : { path: join(home, 'config.toml'), hides }
}

/** A key of the whole file stands above its tables. */
function hides(text: string): string | undefined {
  const [top = ''] = text.split(/^\s*\[/m)
  const store = /^\s*cli_auth_credentials_store\s*=\s*["'](\w+)["']/m.exec(top)?.[1]
  return store !== undefined && Object.hasOwn(STORES, store) ? STORES[store] : undefined
}

function deciding(names: readonly string[]): readonly string[] {
  return names.filter((name) => (BY_VARIABLE as readonly string[]).includes(name) || name === 'CODEX_HOME')
}
