const MASK = '[redacted]'

/** The formats of well-known tokens and keys. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/,
  /\bsk-[A-Za-z0-9_-]{16,}/,
  /\bgh[opsur]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\bfleet-key-[A-Za-z0-9_-]{40,}/,
  /\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]*/,
]

/**
 * Secrets after a prefix that stays visible: the word Bearer, the user name in a URL. A password may contain quotes; a
 * quote before a comma, bracket or similar ends the string that surrounds the URL.
 */
const PREFIXED =
  /\b(bearer\s+)[A-Za-z0-9._~+/-]{12,}=*|\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'<>]{0,100}:)(?:[^\s@/"'<>]|["'](?![\s,:;\])}]|$)){1,200}(?=@)/gi

const ANY_SHAPE = new RegExp(SHAPES.map((shape) => shape.source).join('|'), 'g')

/** A cheap first test: nearly all text contains none of these prefixes. */
const SUSPICIOUS =
  /-----BEGIN|sk-|gh[opsur]_|github_pat_|glpat-|npm_|xox[a-z]-|AKIA|ASIA|AIza|fleet-key-|eyJ|bearer\s|:\/\/[^\s/]*@/i

/** Shorter values could be ordinary words. */
const SHORTEST_VALUE = 8

/** Masks everything that looks like a secret, and the given secret `values`, which must come longest first. */
export function redact(text: string, values: readonly string[] = []): string {
  let clean = text
  for (const value of values) {
    if (value.length >= SHORTEST_VALUE && clean.includes(value)) clean = clean.replaceAll(value, MASK)
  }
  if (!SUSPICIOUS.test(clean)) return clean
  return clean.replace(ANY_SHAPE, MASK).replace(PREFIXED, (_whole, bearer, url) => `${bearer ?? url}${MASK}`)
}

/** Applies `clean` to every string of a value, at any depth. */
export function mapStrings<T>(value: T, clean: (text: string) => string): T {
  if (typeof value === 'string') return clean(value) as T
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, clean)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapStrings(each, clean)])) as T
}
