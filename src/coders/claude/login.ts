import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Login, LoginRule, Variables } from '../shared/login.ts'

export const claudeAccount: LoginRule = { find, keychain, deciding, usual: 'CLAUDE_CODE_OAUTH_TOKEN' }

/** Claude takes the first of these that is set. */
const BY_VARIABLE = [
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
] as const

/** Only claude knows whether the login is still valid. */
function find(given: Variables): Login | undefined {
  const name = BY_VARIABLE.find((each) => (given[each] ?? '') !== '')
  if (name !== undefined) return { kind: 'variable', name }
  const home = given['HOME'] ?? ''
  const folder = given['CLAUDE_CONFIG_DIR'] || (home === '' ? '' : join(home, '.claude'))
  return folder === '' ? undefined : { kind: 'file', path: join(folder, '.credentials.json') }
}

/** A folder of its own has an item of its own, named by the very text of the variable. */
function keychain(given: Variables): string {
  const folder = given['CLAUDE_CONFIG_DIR'] ?? ''
  const suffix = folder === '' ? '' : `-${hash('sha256', folder.normalize('NFC')).slice(0, 8)}`
  return `Claude Code-credentials${suffix}`
}

function deciding(names: readonly string[]): readonly string[] {
  return names.filter((name) => (BY_VARIABLE as readonly string[]).includes(name) || name === 'CLAUDE_CONFIG_DIR')
}
