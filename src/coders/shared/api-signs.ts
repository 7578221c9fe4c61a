import type { Sign } from './signs.ts'

/**
 * The answers of model providers, the same for every coder. A used-up quota and too many requests a minute are both a 429,
 * so the words decide before the status does.
 */
export const API_SIGNS: readonly Sign[] = [
  {
    code: 'context-full',
    reasons: ['context_length_exceeded'],
    says: /maximum context length|input token count .{0,60}exceeds|prompt is too long|exceeds the context window|exceed context limit/i,
  },
  {
    code: 'billing',
    statuses: [402],
    reasons: ['insufficient_quota', 'billing_error'],
    says: /insufficient (?:credits?|balance|funds)|credit balance|payment required/i,
  },
  { code: 'overload', says: /per[- ]minute/i },
  {
    code: 'usage-limit',
    reasons: ['usage_limit_reached'],
    says: /(?:hit|reached|exceeded|exhausted) your .{0,40}(?:limit|quota)|usage limit .{0,20}reached|usage exceeded|quota will reset/i,
  },
  { code: 'usage-limit', among: [403, 429], says: /\bquota\b|usage limit|daily|weekly|monthly|per day|\bresets?\b/i },
  {
    code: 'login',
    statuses: [401, 403],
    reasons: ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'authentication_error', 'invalid_api_key'],
    says: /api[- ]key (?:not valid|expired|not found|is (?:missing|invalid))|(?:invalid|incorrect) (?:x-)?api[- ]key/i,
  },
  {
    code: 'bad-model',
    statuses: [404],
    reasons: ['model_not_found', 'NOT_FOUND'],
    says: /\bmodels?\b.{0,80}(?:not found|does not exist|is not supported)|model not found/i,
  },
  {
    code: 'overload',
    statuses: [408, 429, 499, 500, 502, 503, 504, 524, 529],
    reasons: ['RESOURCE_EXHAUSTED', 'UNAVAILABLE', 'INTERNAL', 'overloaded_error', 'rate_limit_error', 'api_error'],
    says: /overloaded|resource (?:has been )?exhausted|too many requests|rate limit|internal server error|service unavailable|(?:at|your|no) capacity/i,
  },
  {
    code: 'network',
    says: /connection (?:refused|reset|closed|error)|\bE(?:CONN[A-Z]+|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE)\b|timed out|fetch failed/i,
  },
  {
    code: 'network',
    says: /^terminated$|socket (?:connection was closed|hang up)|(?:cannot|unable to) connect|other side closed/i,
  },
]
