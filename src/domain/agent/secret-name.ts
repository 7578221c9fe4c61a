/** Whether a variable, key or flag of this name probably holds a secret. */
export function looksSecret(name: string): boolean {
  const upper = name.toUpperCase()
  if (GIT_SETTING_NAME.test(upper)) return false
  if (TRACE_HEADERS.test(upper)) return true
  const words = upper.split(/[^A-Z0-9]+/).filter((word) => word !== '')
  const last = words.at(-1) ?? ''
  return (
    words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word)) ||
    last === 'AUTH' ||
    AUTH_VALUE.test(upper) ||
    (words.length > 1 && SECRET_LAST.has(last) && !HARMLESS_LAST.test(upper))
  )
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
  'BEARER',
  'AUTHORIZATION',
  'WEBHOOK',
  'WEBHOOKS',
  'OTP',
  'TOTP',
  'MNEMONIC',
])

/** Secret only at the end of a name: MYSQL_PWD, VOLC_SK. PWD itself is a directory. */
const SECRET_LAST = new Set(['PWD', 'PW', 'SK', 'AK'])
const HARMLESS_LAST = /^(?:OLD|LAST|PREV|PREVIOUS|INIT|START|CURRENT|ORIG|ORIGINAL)_PWD$/

/** DOCKER_AUTH_CONFIG; not SSH_AUTH_SOCK, which is a path. */
const AUTH_VALUE = /(?:^|_)AUTH_(?:CONFIG|HEADER|HEADERS|STRING|VALUE|DATA|JSON|BASE64|B64)$/

/** GITHUBTOKEN, PGPASSWORD, SSHPASS: words run together. KEY is not among them (MONKEY, HOTKEY), nor is PASS alone (BYPASS). */
const SECRET_ENDING =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|PRIVATEKEY|ACCESSKEY|SECRETKEY|CREDENTIALS?|WEBHOOK|(?:DB|SQL|PG|REDIS|USER|ROOT|ADMIN)PWD|(?:SSH|DB|SQL|PG|REDIS|USER|ROOT|ADMIN|SUDO|SMTP|MAIL|FTP|LDAP|HTTP|PROXY|KEY|STORE)PASS)$/

/** The headers for a collector of traces hold its login. */
const TRACE_HEADERS = /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/

/** Holds the name of a setting. git refuses to run if one of GIT_CONFIG_COUNT settings is missing. */
const GIT_SETTING_NAME = /^GIT_CONFIG_KEY_\d+$/
