import { join } from 'node:path'
import type { Login, Variables } from '../shared/login.ts'

/** Where claude looks for an account, in its own order: the first that is there pays. */
const BY_VARIABLE = [
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
] as const

/** By the variables an agent gets. Whether the login is still good only claude can say. */
export function claudeLogin(given: Variables): Login | undefined {
  const name = BY_VARIABLE.find((each) => (given[each] ?? '') !== '')
  if (name !== undefined) return { kind: 'variable', name }
  const home = given['HOME'] ?? ''
  const folder = given['CLAUDE_CONFIG_DIR'] || (home === '' ? '' : join(home, '.claude'))
  return folder === '' ? undefined : { kind: 'file', path: join(folder, '.credentials.json') }
}

/** Of these names those that would have decided it. */
export function claudeLoginNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => (BY_VARIABLE as readonly string[]).includes(name) || name === 'CLAUDE_CONFIG_DIR')
}
