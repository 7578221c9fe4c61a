import { join } from 'node:path'
import type { Login, Variables } from '../shared/login.ts'
import { geminiFolder } from './place.ts'

/**
 * What chooses the account where no settings.json of gemini does, in its own order: a Google login, Vertex AI, a gateway,
 * a key, the machine's own account.
 */
const BY_VARIABLE = [
  'GOOGLE_GENAI_USE_GCA',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GEMINI_BASE_URL',
  'GEMINI_API_KEY',
  'GEMINI_CLI_USE_COMPUTE_ADC',
] as const

/** These are switches, on by `true` alone. */
const SWITCHES = new Set<string>(['GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI', 'GEMINI_CLI_USE_COMPUTE_ADC'])

/**
 * By the variables an agent gets. The choice in gemini's own settings comes before all of them, and a keyring may stand in
 * for the file: whether there is a login, and whether it is still good, only gemini can say.
 */
export function geminiLogin(given: Variables): Login | undefined {
  const name = BY_VARIABLE.find((each) => (SWITCHES.has(each) ? given[each] === 'true' : (given[each] ?? '') !== ''))
  // A Google login has no key: its file decides.
  if (name !== undefined && name !== 'GOOGLE_GENAI_USE_GCA') return { kind: 'variable', name }
  const folder = geminiFolder(given)
  return folder === undefined ? undefined : { kind: 'file', path: join(folder, 'oauth_creds.json') }
}

/** Of these names those that would have decided it, or without which one of those is worth nothing. */
export function geminiLoginNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => (BY_VARIABLE as readonly string[]).includes(name) || BESIDE.has(name))
}

const BESIDE = new Set(['GEMINI_CLI_HOME', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'])
