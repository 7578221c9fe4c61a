import { join } from 'node:path'
import type { Login, LoginRule, Variables } from '../shared/login.ts'

export const opencodeAccount: LoginRule = { find, withoutFile: ofProvider, deciding, usual: 'OPENCODE_API_KEY' }

/** Holds the logins of all providers. */
const ALL = 'OPENCODE_AUTH_CONTENT'

/**
 * opencode has an account for each provider. Its logins, all in one file, precede the variable of a provider; a key in its
 * configuration precedes both. Only opencode knows whether the provider of a model is among them, and whether its login is
 * still valid.
 */
function find(given: Variables): Login | undefined {
  if ((given[ALL] ?? '') !== '') return { kind: 'variable', name: ALL }
  const home = given['HOME'] ?? ''
  const share = given['XDG_DATA_HOME'] || (home === '' ? '' : join(home, '.local', 'share'))
  if (share !== '') return { kind: 'file', path: join(share, 'opencode', 'auth.json') }
  return ofProvider(given)
}

function ofProvider(given: Variables): Login | undefined {
  const name = Object.keys(given).find((each) => PROVIDERS.has(each) && (given[each] ?? '') !== '')
  return name === undefined ? undefined : { kind: 'variable', name }
}

function deciding(names: readonly string[]): readonly string[] {
  return names.filter((name) => name === ALL || name === 'XDG_DATA_HOME' || PROVIDERS.has(name))
}

/** Of the many providers that opencode knows, those that people mostly run agents on. */
const PROVIDERS = new Set([
  'ANTHROPIC_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'DEEPSEEK_API_KEY',
  'GEMINI_API_KEY',
  'GITHUB_TOKEN',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'MOONSHOT_API_KEY',
  'OPENAI_API_KEY',
  'OPENCODE_API_KEY',
  'OPENROUTER_API_KEY',
  'XAI_API_KEY',
  'ZHIPU_API_KEY',
])
