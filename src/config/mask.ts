import { looksSecret } from '../domain/agent/secret-name.ts'
import { withoutPasswords } from '../domain/queue/postgres-url.ts'
import { redact } from '../domain/text/redact.ts'

const MASK = '***'

/**
 * Masks the secrets in the text of a TOML file: known token formats, passwords in URLs, values of variables and flags with
 * secret-sounding names. The file need not parse: an unterminated string is masked to the end of its line, or
 * of the file if it is a multi-line string.
 */
export function maskedText(text: string): string {
  return shapesMasked(
    text
      .replace(NAMED_STRING, (whole, name: string, equals: string) =>
        looksSecret(name) ? `${name}${equals}"${MASK}"` : whole,
      )
      .replace(FLAG_AND_STRING, (whole, flag: string, between: string, quoted: string) =>
        isSecretOf(flag, quoted.slice(1, -1)) ? `${flag}${between}"${MASK}"` : whole,
      )
      .replace(ENDLESS_STRING, (whole, name: string, equals: string) =>
        looksSecret(name) ? `${name}${equals}"${MASK}"` : whole,
      )
      .replace(STRING, wordsMasked),
  )
}

/** Masks the secrets in one value of a parsed configuration. */
export function masked(value: unknown): unknown {
  if (typeof value === 'string') return shapesMasked(wordsMasked(value))
  if (Array.isArray(value)) return value.map((each, i) => (isSecretOf(value[i - 1], each) ? MASK : masked(each)))
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, looksSecret(name) ? MASK : masked(each)]),
  )
}

const STRING = /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g
const NAMED_STRING = new RegExp(`([A-Za-z0-9_-]+)(["']?\\s*=\\s*)(?:${STRING.source})`, 'g')
/** A flag and its value as neighbours in a list. */
const FLAG_AND_STRING = /(--?[A-Za-z][\w-]*)(["']\s*,\s*)("(?:[^"\\\n]|\\.)*"|'[^'\n]*')/g
const ENDLESS_STRING = /([A-Za-z0-9_-]+)(["']?[ \t]*=[ \t]*)(?:"[^"\n]*$|'[^'\n]*$)/gm

/** `--api-key abc`; `API_KEY=abc` and `x-api-key: abc`; `Authorization: Basic abc` */
const FLAG_AND_WORD = /(--?[A-Za-z][\w-]*)([ \t]+)([^\s"',;-][^\s"',;]*)/g
const NAMED_WORD = /([A-Za-z][\w-]*)(=|:[ \t]+)([^\s"',;&]+)/g
const AUTHORIZATION = /\b(authorization:[ \t]*)[^"'\n]+/gi

function wordsMasked(text: string): string {
  return text
    .replace(AUTHORIZATION, `$1${MASK}`)
    .replace(FLAG_AND_WORD, (whole, flag: string, between: string, value: string) =>
      isSecretOf(flag, value) ? `${flag}${between}${MASK}` : whole,
    )
    .replace(NAMED_WORD, (whole, name: string, between: string, value: string) =>
      isSecretOf(`--${name}`, value) ? `${name}${between}${MASK}` : whole,
    )
}

/** Whether the value after a flag is a secret. A placeholder such as `{prompt_file}` or `$TOKEN` is not. */
function isSecretOf(flag: unknown, value: unknown): boolean {
  if (typeof flag !== 'string' || typeof value !== 'string' || !/^--?[A-Za-z][\w-]*$/.test(flag)) return false
  if (/^[-{$]/.test(value) || (/tokens$/i.test(flag) && /^\d+$/.test(value))) return false
  return looksSecret(flag)
}

function shapesMasked(text: string): string {
  return withoutPasswords(redact(text).replaceAll('[redacted]', MASK))
}
