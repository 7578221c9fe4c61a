import type { Trouble } from '../../domain/run/event.ts'
import { firstLine } from '../../domain/text/bounded.ts'
import { count, entries, fields, parsed, string } from '../shared/fields.ts'
import { type Sign, troubleBySigns } from '../shared/signs.ts'

/**
 * The first match decides. `kinds` are codex's own names (`codex_error_info`), which only the rollout holds. One of them
 * means either a limit that lifts or a bill that must be paid, so words about money come first.
 */
const SIGNS: readonly Sign[] = [
  { code: 'context-full', kinds: ['context_window_exceeded'], says: /context_length_exceeded|\bcontext window\b/i },
  { code: 'budget', kinds: ['session_budget_exceeded'] },
  { code: 'no-session', says: /no rollout found for (?:thread|conversation)|no thread with id/i },
  {
    code: 'billing',
    statuses: [402],
    says: /quota exceeded|insufficient_quota|exceeded your current quota|out of credits|spend cap|upgrade to plus: http/i,
  },
  {
    code: 'usage-limit',
    kinds: ['usage_limit_exceeded'],
    says: /hit your usage limit|usage limit has been reached|usage_limit_reached/i,
  },
  {
    code: 'bad-model',
    kinds: ['model_not_found'],
    statuses: [404],
    says: /model_not_found|\bmodel\b.{1,100}\b(?:does not exist|is not supported)|model provider .{1,100} not found/i,
  },
  {
    code: 'login',
    kinds: ['unauthorized'],
    statuses: [401, 403],
    says: /sign in again|not logged in|missing environment variable|could not be refreshed/i,
  },
  {
    code: 'overload',
    kinds: [
      'rate_limit_exceeded',
      'server_overloaded',
      'internal_server_error',
      'flex_unavailable',
      'policy_capacity_unavailable',
    ],
    statuses: [429, 500, 502, 503, 504, 529],
    says: /\bat capacity\b|experiencing high demand|rate limit (?:exceeded|reached)/i,
  },
  {
    code: 'network',
    kinds: ['http_connection_failed', 'response_stream_connection_failed', 'response_stream_disconnected'],
    statuses: [408],
    says: /stream disconnected|connection failed|error sending request|waiting for network|timed out|reading the server response/i,
  },
]

const LENGTH = 300
const STATUS = /(?:\bunexpected status|\blast status:|\(status) (\d{3})\b/

/** `told`: `codex_error_info` of the rollout: a name, or a name with an HTTP status. */
export function troubleFrom(text: string, told?: unknown): Trouble {
  const [named] = entries(told)
  const status = count(named?.[1]['http_status_code']) ?? statusIn(text)
  // "Connection failed" with an HTTP status means that the service refused.
  const kind = string(told) ?? (status === undefined ? named?.[0] : undefined)
  return { ...troubleBySigns(SIGNS, { text, kind, status }), text: words(text) }
}

function statusIn(text: string): number | undefined {
  const [, status] = STATUS.exec(text) ?? []
  return status === undefined ? undefined : Number(status)
}

/** Codex passes some answers of the API on unchanged: returns their text for people. */
function words(text: string): string {
  const answer = text.startsWith('{') ? parsed(text) : undefined
  const message = string(fields(answer?.['error'])?.['message']) ?? string(answer?.['detail'])
  return firstLine(message ?? text, LENGTH) || 'no reason given'
}

/** A failure before a session begins, from stderr. */
export function troubleBeforeSession(stderr: string): Trouble | undefined {
  const complaint = /^error\b.*/im.exec(stderr)?.[0] ?? stderr
  const trouble = troubleFrom(complaint)
  if (trouble.code !== 'error') return trouble
  return BAD_CALL.test(complaint) ? { code: 'bad-flag', text: trouble.text } : undefined
}

/** Wrong arguments, or a configuration with which no run can begin. */
const BAD_CALL =
  /^error: (?:unexpected argument|invalid value|unknown feature flag|unrecognized|the argument|the following required|a value is required)|^error (?:loading config|finding codex home)|required mcp servers failed|not inside a trusted directory/i

/** Printed at every start, and harmless. */
const NOISE = /^(?:Reading (?:additional input|prompt) from stdin\.\.\.|WARNING: proceeding, even though .*)$/gm

export function withoutNoise(stderr: string): string {
  return stderr.replaceAll(NOISE, '').trim()
}
