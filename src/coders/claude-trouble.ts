import type { Trouble } from '../domain/event.ts'
import { type Complaint, type Sign, troubleBySigns } from './signs.ts'

/** The first that fits decides, so the order matters: a limit of the account and one per minute are both a 429. */
const SIGNS: readonly Sign[] = [
  { code: 'budget', reasons: ['budget_exhausted', 'error_max_budget_usd'] },
  { code: 'context-full', reasons: ['prompt_too_long'], says: /prompt is too long/i },
  { code: 'no-session', says: /^No conversation found with session ID|Session ID \S+ is already in use/m },
  { code: 'overload', says: /not your usage limit|per-minute/i },
  {
    code: 'usage-limit',
    kinds: ['usage_limit_reached'],
    says: /(?:hit your|reached your) .{0,40}limit|usage limit reached/i,
  },
  { code: 'usage-limit', among: [429], says: /usage limit|weekly|\b\d+-hour\b|\bresets\b/i },
  { code: 'billing', kinds: ['billing_error'], statuses: [402], says: /credit balance/i },
  { code: 'bad-model', kinds: ['model_not_found'], statuses: [404] },
  {
    code: 'login',
    kinds: ['authentication_failed'],
    statuses: [401, 403],
    says: /not logged in|run \/login|invalid api key/i,
  },
  { code: 'overload', kinds: ['rate_limit', 'overloaded'], statuses: [429, 500, 502, 503, 504, 529] },
  {
    code: 'network',
    says: /connection (?:refused|reset|closed|error)|\bE(?:CONN[A-Z]+|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE)\b|timed out|fetch failed/i,
  },
  // A failure of the server of which no status came: nobody answered.
  { code: 'network', kinds: ['server_error', 'unknown'] },
]

/**
 * `kind` is `assistant.error` or `api_retry.error`: rate_limit, overloaded, authentication_failed …; the reasons are
 * `terminal_reason` and `subtype` of a result.
 */
export function troubleFrom(complaint: Complaint): Trouble {
  return troubleBySigns(SIGNS, complaint)
}

/** What it prints and ends with before a session begins: it was called wrongly. */
export function troubleBeforeSession(stderr: string): Trouble | undefined {
  const trouble = troubleFrom({ text: stderr })
  if (trouble.code !== 'error') return trouble
  return BAD_CALL.test(stderr) ? { code: 'bad-flag', text: trouble.text } : undefined
}

const BAD_CALL =
  /error: (?:unknown|option|required|invalid)|requires --verbose|cannot be used with root|Input must be provided|argument missing/i
