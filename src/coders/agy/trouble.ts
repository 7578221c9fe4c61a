import type { Trouble } from '../../domain/run/event.ts'
import { parsed, string } from '../shared/fields.ts'
import { type Sign, troubleBySigns } from '../shared/signs.ts'

/** The first match decides: a used-up quota and too many requests are both a 429. */
const SIGNS: readonly Sign[] = [
  {
    code: 'context-full',
    says: /token count .{0,80}exceeds|context (?:window|length).{0,40}exceed|prompt is too long/i,
  },
  { code: 'no-session', says: /conversation .{0,80}(?:not found|does not exist)|no such conversation/i },
  { code: 'usage-limit', says: /quota (?:reached|exceeded|exhausted)|\bresets? in \d/i },
  { code: 'billing', says: /\(code 402\)|billing|payment required/i },
  {
    code: 'login',
    says: /\(code 40[13]\)|UNAUTHENTICATED|PERMISSION_DENIED|not (?:signed|logged) in|please sign in|authentication (?:failed|timed out)/i,
  },
  {
    code: 'bad-model',
    says: /\(code 404\)|(?:unknown|invalid|unsupported) model|model .{0,80}not (?:found|available)/i,
  },
  { code: 'bad-flag', says: /flag provided but not defined|unknown flag|invalid value .{0,80}for flag|--effort/i },
  { code: 'overload', says: /\(code (?:429|5\d\d)\)|RESOURCE_EXHAUSTED|UNAVAILABLE|INTERNAL|overloaded/ },
  {
    code: 'network',
    says: /dial tcp|no such host|connection (?:refused|reset)|i\/o timeout|TLS handshake|unexpected EOF/i,
  },
]

/** By its words, of which only a few are known; the statuses are those of Google's services. */
export function agyTrouble(text: string): Trouble {
  return troubleBySigns(SIGNS, { text })
}

/** The line on stderr before it exits with 3. Only this line names the trouble with the model. */
export function agyError(stderr: string): Trouble | undefined {
  const line = stderr.split('\n').findLast((each) => each.startsWith(MARK))
  if (line === undefined) return undefined
  const words = line.slice(MARK.length)
  const told = parsed(words)
  const trouble = agyTrouble(string(told?.['short_error']) ?? words)
  const code = codeOf(string(told?.['status']), told?.['retryable'])
  // The words may say more than the status: what is too long, or cannot be paid.
  return code === undefined || !VAGUE.has(trouble.code) ? trouble : { code, text: trouble.text }
}

const VAGUE: ReadonlySet<Trouble['code']> = new Set(['error', 'usage-limit', 'overload', 'network'])

/** From 1.2.6 on. A quota is used up; a throttle lifts by itself. */
function codeOf(status: string | undefined, retryable: unknown): Trouble['code'] | undefined {
  if (status === 'RESOURCE_EXHAUSTED' && typeof retryable === 'boolean') return retryable ? 'overload' : 'usage-limit'
  return status === undefined ? undefined : STATUSES.get(status)
}

const STATUSES: ReadonlyMap<string, Trouble['code']> = new Map([
  ['UNAVAILABLE', 'overload'],
  ['INTERNAL', 'overload'],
  ['DEADLINE_EXCEEDED', 'overload'],
  ['UNAUTHENTICATED', 'login'],
] as const)

/** Printed as plain text, with no event before it: it tried to sign in and could not. */
export function signInFailure(line: string): Trouble | undefined {
  return /\bauthentication (?:failed|timed out)/i.test(line) ? agyTrouble(line) : undefined
}

const MARK = 'AGY_ERROR: '

/** After this line it reports success and exits with 0. */
export function printTimeout(stderr: string): string | undefined {
  return /^\[agy\] print timeout after (\S+) with turn in progress/m.exec(stderr)?.[1]
}
