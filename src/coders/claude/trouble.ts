import type { Trouble } from '../../domain/run/event.ts'
import { API_SIGNS } from '../shared/api-signs.ts'
import { INTERRUPTED } from '../shared/ending.ts'
import { type Complaint, type Sign, troubleBySigns } from '../shared/signs.ts'

/**
 * The first match decides, so the order matters: a limit of the account and a limit per minute are both a 429, and only an
 * account's limit names the time it lifts. Claude's own names and words come first, then the service's answers.
 */
const SIGNS: readonly Sign[] = [
  { code: 'interrupted', reasons: ['aborted_streaming', 'aborted_tools'] },
  { code: 'budget', reasons: ['budget_exhausted', 'error_max_budget_usd'] },
  { code: 'context-full', reasons: ['prompt_too_long'], says: /prompt is too long|context limit reached/i },
  { code: 'no-session', says: /^No conversation found with session ID|Session ID \S+ is already in use/m },
  { code: 'overload', says: /not your usage limit|per-minute/i },
  {
    code: 'usage-limit',
    kinds: ['usage_limit_reached'],
    says: /(?:hit|reached) your .{0,40}limit|\blimit reached\b|out of (?:extra )?usage\b.{0,40}\bresets\b/i,
  },
  {
    code: 'billing',
    kinds: ['billing_error'],
    statuses: [402],
    says: /credit balance|out of (?:extra )?usage\b|requires usage credits|doesn.t include (?:extra )?usage|usage allocation has been disabled|usage limit is set to \$0|hit your team.s shared budget/i,
  },
  { code: 'usage-limit', among: [429], says: /usage limit|weekly|\b\d+-hour\b|\bresets\b/i },
  { code: 'bad-model', kinds: ['model_not_found'], statuses: [404] },
  {
    code: 'login',
    kinds: ['authentication_failed'],
    statuses: [401, 403],
    says: /not logged in|run \/login|invalid api key|organization has been disabled|disabled organization/i,
  },
  { code: 'overload', kinds: ['rate_limit', 'overloaded'] },
  ...API_SIGNS,
  // A server failure without a status: no answer arrived.
  { code: 'network', kinds: ['server_error', 'unknown'] },
]

/** Some versions have no field for the status; the words hold it. */
const STATUS = /\bAPI error:? (?:Repeated |Request rejected \(|\(status )?([45]\d\d)\b/i

/**
 * `kind` is `assistant.error` or `api_retry.error`: rate_limit, overloaded, authentication_failed …; the reasons are
 * `terminal_reason` and `subtype` of a result.
 */
export function troubleFrom(complaint: Complaint): Trouble {
  const [, told] = STATUS.exec(complaint.text) ?? []
  const status = complaint.status ?? (told === undefined ? undefined : Number(told))
  // Claude calls every refusal an `api_error`; the service means only its own failures by it.
  const reasons = complaint.reasons?.filter((reason) => reason !== 'api_error') ?? []
  const trouble = troubleBySigns(SIGNS, { ...complaint, status, reasons })
  return trouble.code === 'interrupted' ? { ...trouble, text: INTERRUPTED } : trouble
}

/** A failure before a session begins: claude was called wrongly. */
export function troubleBeforeSession(stderr: string): Trouble | undefined {
  const trouble = troubleFrom({ text: stderr })
  if (trouble.code !== 'error') return trouble
  return BAD_CALL.test(stderr) ? { code: 'bad-flag', text: trouble.text } : undefined
}

const BAD_CALL =
  /error: (?:unknown|option|required|invalid)|requires --verbose|cannot be used with root|Input must be provided|argument missing/i
