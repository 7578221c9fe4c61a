/** Whether a variable, key or flag of this name probably holds a secret. */
export function looksSecret(name: string): boolean {
  const upper = name.toUpperCase()
  if (GIT_SETTING_NAME.test(upper)) return false
  if (TRACE_HEADERS.test(upper)) return true
  const words = upper.split(/[^A-Z0-9]+/)
  return words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word)) || words.at(-1) === 'AUTH'
}

const SECRET_WORDS = new Set([
  'TOKEN',
  'TOKENS',
  'SECRET',
  'SECRETS',
  'PASSWORD',
  'PASSWORDS',
  'PASSWD',
  'PASSPHRASE',
  'PASS',
  'PASSCODE',
  'KEY',
  'KEYS',
  'APIKEY',
  'CREDENTIAL',
  'CREDENTIALS',
  'CREDS',
  'COOKIE',
  'COOKIES',
  'JWT',
  'PAT',
])

/** GITHUBTOKEN, PGPASSWORD: words run together. KEY is not among them (MONKEY, HOTKEY). */
const SECRET_ENDING = /(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|PRIVATEKEY|ACCESSKEY|SECRETKEY|CREDENTIALS?)$/

/** The headers for a collector of traces hold its login. */
const TRACE_HEADERS = /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/

/** Holds the name of a setting. git refuses to run if one of GIT_CONFIG_COUNT settings is missing. */
const GIT_SETTING_NAME = /^GIT_CONFIG_KEY_\d+$/
