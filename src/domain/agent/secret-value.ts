import { SHAPES } from '../text/secret-shapes.ts'
import { looksSecret } from './secret-name.ts'

/** A secret in the value of a variable: why it is one, and the parts of the value that alone would reveal it. */
export interface SecretInValue {
  /** For people: completes "it has …". */
  readonly why: string
  readonly parts: readonly string[]
}

/**
 * Looks for a secret in the value of a variable: by well-known shapes only, so that a hash, an id, a path or a locale is
 * never taken for one.
 */
export function secretIn(value: string): SecretInValue | undefined {
  if (value.length < SHORTEST || isPathList(value)) return undefined
  return inShape(value) ?? inJson(value) ?? inRule(value)
}

/** No secret of a known shape is shorter. */
const SHORTEST = 8

/** PATH, MANPATH, SSH_AUTH_SOCK: a folder may be called anything. */
function isPathList(value: string): boolean {
  return /^:?[~.]{0,2}\/.*$/.test(value) && !value.includes('://')
}

function inShape(value: string): SecretInValue | undefined {
  for (const { what, begins, secret } of SHAPES) {
    if (!begins.test(value)) continue
    for (const match of value.matchAll(secret)) {
      const visible = match.slice(1).find((group) => group !== undefined) ?? ''
      const part = match[0].slice(visible.length)
      if (!isPlaceholder(part)) return { why: what, parts: [part, decoded(part)] }
    }
  }
  return undefined
}

/** Further forms that are secrets only as a whole value; in a text they would be ordinary words too often. */
const RULES: readonly { readonly what: string; readonly form: RegExp }[] = [
  { what: 'a login for HTTP', form: /^(?:basic|bearer|token)\s+(\S{8,})$/i },
  { what: 'a connection string with a password', form: /(?:^|[;\s?&]|--)(?:password|passwd|pwd)\s*=\s*([^;&\s]+)/i },
  { what: 'a login of a .netrc', form: /\bmachine\s+\S+\s+(?:login\s+\S+\s+)?password\s+(\S+)/ },
  { what: 'a token of a bot', form: /^(\d{8,10}:AA[\w-]{33})$/ },
  {
    what: 'a connection string with a key',
    form: /(?:^|;)\s*(?:accountkey|sharedaccesskey\w*|secret)\s*=\s*([^;\s]{8,})/i,
  },
  // Go's drivers: user:password@tcp(host)/database
  { what: 'a connection string with a password', form: /^[\w.-]+:([^\s@]+)@(?:tcp|udp|unix)\(/ },
  { what: 'a connection string with a password', form: /^[\w.-]+:([^\s@/]{3,})@[\w.-]+:\d{2,5}(?:\/\S*)?$/ },
]

function inRule(value: string): SecretInValue | undefined {
  for (const { what, form } of RULES) {
    const part = form.exec(value)?.[1]
    if (part !== undefined && !isPlaceholder(part)) return { why: what, parts: [part] }
  }
  return undefined
}

/** A longer value is not parsed. */
const LONGEST_JSON = 100_000

/** DOCKER_AUTH_CONFIG and the like: a key at any depth that names a secret. */
function inJson(value: string): SecretInValue | undefined {
  if (!/^\s*[[{]/.test(value) || value.length > LONGEST_JSON) return undefined
  try {
    const parts = secretsOf(JSON.parse(value))
    return parts.length === 0 ? undefined : { why: 'a login in JSON', parts }
  } catch {
    return undefined
  }
}

function secretsOf(document: unknown): string[] {
  if (typeof document !== 'object' || document === null) return []
  return Object.entries(document).flatMap(([key, each]) => {
    if (typeof each !== 'string') return secretsOf(each)
    const named = looksSecret(key.replace(/([a-z])([A-Z])/g, '$1_$2')) && !/^(?:keys?|pat|pass)$/i.test(key)
    return named && each.length >= 4 && !isPlaceholder(each) ? [each] : []
  })
}

/** `***`, `$PASSWORD`, `<password>`, `{{token}}`: somebody has taken the secret out already. */
function isPlaceholder(part: string): boolean {
  return /^(?:[*x.]+|\$\{?\w+\}?|<[^<>]*>|\{\{?[^{}]*\}\}?|%\w+%|\[redacted\])$/i.test(part)
}

/** As it reads without the escapes of a URL. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
