import { join } from 'node:path'
import type { Login, Variables } from '../shared/login.ts'

/**
 * By the variables an agent gets. It has an account for each provider: those it was logged in to, all in one place, come
 * before the variable of a provider, and a key in its own configuration before both. Whether the provider of a model is
 * among them, and whether its login is still good, only opencode can say.
 */
export function opencodeLogin(given: Variables): Login | undefined {
  if ((given[ALL] ?? '') !== '') return { kind: 'variable', name: ALL }
  const home = given['HOME'] ?? ''
  const share = given['XDG_DATA_HOME'] || (home === '' ? '' : join(home, '.local', 'share'))
  if (share !== '') return { kind: 'file', path: join(share, 'opencode', 'auth.json') }
  return opencodeProvider(given)
}

/** The account of a provider, where it was logged in to none. */
export function opencodeProvider(given: Variables): Login | undefined {
  const name = Object.keys(given).find((each) => isOfProvider(each) && (given[each] ?? '') !== '')
  return name === undefined ? undefined : { kind: 'variable', name }
}

const ALL = 'OPENCODE_AUTH_CONTENT'

/** Of these names those that would have decided it for one provider or for all. */
export function opencodeLoginNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => name === ALL || name === 'XDG_DATA_HOME' || isOfProvider(name))
}

/** Of the many providers it knows, those that agents are mostly run on. */
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

function isOfProvider(name: string): boolean {
  return PROVIDERS.has(name)
}
