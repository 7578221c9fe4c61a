import type { CoderEvent, Usage } from '../../domain/run/event.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { count, entries, type Fields, fields, known, parts, string, strings, word } from '../shared/fields.ts'
import { denied } from './system.ts'
import { troubleFrom } from './trouble.ts'

const TEXT = 4000

/** The end of a turn, with its totals. */
export function result(told: Fields): readonly CoderEvent[] {
  return [...parts(told['permission_denials']).map(denied), ...windows(told), ...total(told), ending(told)]
}

function windows(told: Fields): readonly CoderEvent[] {
  return entries(told['modelUsage']).flatMap(([model, usage]) => {
    const tokens = count(usage['contextWindow'])
    return tokens === undefined || tokens === 0 ? [] : [{ type: 'window', tokens, model } as const]
  })
}

/**
 * `model_usage_since_last_result` covers this run alone, with sub-agents and cost. In versions without it, `usage` covers
 * the turn without sub-agents, and `total_cost_usd` the session with all earlier runs.
 */
function total(told: Fields): readonly CoderEvent[] {
  const models = entries(told['model_usage_since_last_result'])
  if (models.length > 0) {
    const sum = (name: string): number | undefined => added(models.map(([, usage]) => count(usage[name])))
    const usage = known({
      input: sum('inputTokens'),
      output: sum('outputTokens'),
      cacheRead: sum('cacheReadInputTokens'),
      cacheWrite: sum('cacheCreationInputTokens'),
      reasoning: sum('thinkingTokens'),
    })
    return [{ type: 'total', covers: 'since-last', usage, ...known({ costUsd: sum('costUSD') }) }]
  }
  const usage = fields(told['usage'])
  const costUsd = count(told['total_cost_usd'])
  if (usage === undefined && costUsd === undefined) return []
  const cost = costUsd === undefined ? {} : { costUsd, costCovers: 'session' as const }
  return [{ type: 'total', covers: 'since-last', usage: usageOf(usage ?? {}), ...cost }]
}

/** Counts as the API does. Other services include the cache in the input, as their total shows; then it is subtracted. */
export function usageOf(told: Fields): Usage {
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {}
  const input = count(told['input_tokens'])
  const output = count(told['output_tokens'])
  const cacheRead = count(told['cache_read_input_tokens'])
  const cacheWrite = count(told['cache_creation_input_tokens'])
  const reasoning = count(fields(told['output_tokens_details'])?.['thinking_tokens'])
  const whole = count(told['total_tokens'])
  const cached = whole !== undefined && whole === (input ?? 0) + (output ?? 0) ? (cacheRead ?? 0) : 0
  if (input !== undefined) usage.input = Math.max(0, input - cached)
  if (output !== undefined) usage.output = output
  if (cacheRead !== undefined) usage.cacheRead = cacheRead
  if (cacheWrite !== undefined) usage.cacheWrite = cacheWrite
  if (reasoning !== undefined) usage.reasoning = reasoning
  return usage
}

function added(values: readonly (number | undefined)[]): number | undefined {
  const told = values.filter((value) => value !== undefined)
  return told.length === 0 ? undefined : told.reduce((sum, value) => sum + value, 0)
}

/** `subtype` is "success" even if the API failed: `is_error` decides. */
function ending(told: Fields): CoderEvent {
  const subtype = string(told['subtype'])
  const text = string(told['result'])
  if (told['is_error'] === false && subtype === 'success') {
    return { type: 'result', ok: true, ...known({ text: text === undefined ? undefined : bounded(text, TEXT) }) }
  }
  const said = text ?? (strings(told['errors']).join('; ') || reason(told) || subtype || 'no reason given')
  const words = bounded(forPeople(said), TEXT)
  const reasons = [string(told['terminal_reason']), subtype]
  const trouble = troubleFrom({ text: words, status: count(told['api_error_status']), reasons })
  return { type: 'result', ok: false, text: words, trouble }
}

/** `[ede_diagnostic] result_type=user …` is for claude's own developers. */
function forPeople(words: string): string {
  return DIAGNOSTIC.test(words) ? `it stopped in the middle of its work and gave no reason (${words})` : words
}

const DIAGNOSTIC = /^\[\w*diagnostic\w*\]/i

/** Other CLIs with claude's format report it here. */
function reason({ error }: Fields): string | undefined {
  return string(error) ?? string(fields(error)?.['message'])
}

/** `rate_limit_event`: only subscriptions send it. */
export function limit(told: Fields): readonly CoderEvent[] | undefined {
  const standing = fields(told['rate_limit_info'])
  if (standing === undefined) return undefined
  const name = word(standing['rateLimitType'])
  const windows = new Map(entries(standing['unifiedWindows']))
  const used = count(windows.get(name ?? '')?.['utilization']) ?? count(standing['utilization'])
  const seconds = count(standing['resetsAt'])
  // One window may warn while the overall status is still `allowed`.
  const statuses = [standing['status'], ...Array.from(windows.values(), (window) => window['status'])]
  const warns = statuses.includes('allowed_warning') ? 'warning' : 'allowed'
  // Requests paid beyond the window are allowed.
  const refuses = standing['status'] === 'rejected' && standing['isUsingOverage'] !== true
  const status = refuses ? 'rejected' : standing['status'] === 'rejected' ? 'warning' : warns
  const resetsAt = seconds === undefined ? undefined : seconds * 1000
  const usedPct = used === undefined ? undefined : Math.round(used * 100)
  return [{ type: 'limit', status, ...known({ name, resetsAt, usedPct }) }]
}
