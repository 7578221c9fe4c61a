import { join } from 'node:path'
import type { Login, LoginRule, Variables } from '../shared/login.ts'
import { geminiFolder } from './session-files.ts'

export const geminiAccount: LoginRule = { find, deciding, usual: 'GEMINI_API_KEY' }

/**
 * If its settings.json names no account, gemini takes the first of these: a Google login, Vertex AI, a gateway, a key, the
 * account of the machine.
 */
const BY_VARIABLE = [
  'GOOGLE_GENAI_USE_GCA',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GEMINI_BASE_URL',
  'GEMINI_API_KEY',
  'GEMINI_CLI_USE_COMPUTE_ADC',
] as const

/** Only `true` turns these on. */
const SWITCHES = new Set<string>(['GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI', 'GEMINI_CLI_USE_COMPUTE_ADC'])

/** Variables without which one of the above is worth nothing, and the folder of the file. */
const BESIDE = new Set(['GEMINI_CLI_HOME', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'])

/**
 * The account in gemini's settings precedes all variables, and a keyring may replace the file: only gemini knows whether
 * there is a login, and whether it is still valid.
 */
function find(given: Variables): Login | undefined {
  const name = BY_VARIABLE.find((each) => (SWITCHES.has(each) ? given[each] === 'true' : (given[each] ?? '') !== ''))
  // A Google login has no key: its file decides.
  if (name !== undefined && name !== 'GOOGLE_GENAI_USE_GCA') return { kind: 'variable', name }
  const folder = geminiFolder(given)
  return folder === undefined ? undefined : { kind: 'file', path: join(folder, 'oauth_creds.json') }
}

function deciding(names: readonly string[]): readonly string[] {
  return names.filter((name) => (BY_VARIABLE as readonly string[]).includes(name) || BESIDE.has(name))
}
