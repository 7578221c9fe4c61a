import { bounded, firstLine } from '../domain/bounded.ts'
import type { CoderEvent, ToolKind, Usage } from '../domain/event.ts'
import { troubleFrom } from './claude-trouble.ts'
import { count, each, type Fields, fields, known, list, parsed, string } from './fields.ts'

/** Characters of what is said, of one line for people, and of what nobody understood. */
const TEXT = 4000
const DETAIL = 200
const RAW = 500
/** Blocks of a message, models of a result: far more than any honest line has. */
const PARTS = 1000

/** One line of `claude -p --output-format stream-json --verbose`. */
export function claudeEvents(line: string): readonly CoderEvent[] {
  if (line === '') return []
  const told = parsed(line)
  return (told === undefined ? undefined : eventsOf(told)) ?? [{ type: 'unknown', raw: bounded(line, RAW) }]
}

function eventsOf(told: Fields): readonly CoderEvent[] | undefined {
  switch (told['type']) {
    case 'assistant':
      return assistant(told)
    case 'user':
      return user(told)
    case 'system':
      return system(told)
    case 'result':
      return result(told)
    case 'rate_limit_event':
      return limit(told)
    case 'stream_event':
      return partial(told)
    default:
      return undefined
  }
}

function assistant(told: Fields): readonly CoderEvent[] | undefined {
  const message = fields(told['message'])
  if (message === undefined) return undefined
  const subagent = isSubagent(told)
  const events: CoderEvent[] = []
  // A synthetic message is claude's own: nothing was asked of a model.
  if (message['model'] !== '<synthetic>') events.push(...messageUsage(message, subagent))
  for (const part of parts(message['content'])) {
    const text = string(part['text'])
    if (part['type'] === 'text' && text !== undefined)
      events.push({ type: 'text', text: bounded(text, TEXT), ...subagent })
    if (part['type'] === 'tool_use') events.push(...toolStarted(part, subagent))
  }
  const kind = string(told['error'])
  if (kind !== undefined) {
    const text = parts(message['content']).map((part) => string(part['text']) ?? '')
    const status = count(told['api_error_status'])
    events.push({
      type: 'trouble',
      trouble: troubleFrom({ text: text.join('\n'), kind: string(told['api_error']) ?? kind, status }),
    })
  }
  return events.length > 0 ? events : [{ type: 'notice', name: 'assistant' }]
}

type Subagent = { readonly subagent?: true }

function isSubagent(told: Fields): Subagent {
  return string(told['parent_tool_use_id']) === undefined ? {} : { subagent: true }
}

function messageUsage(message: Fields, subagent: Subagent): readonly CoderEvent[] {
  const id = string(message['id'])
  const usage = fields(message['usage'])
  if (id === undefined || usage === undefined) return []
  return [
    { type: 'usage', message: bounded(id, DETAIL), usage: usageOf(usage), ...modelOf(message['model']), ...subagent },
  ]
}

function usageOf(told: Fields): Usage {
  return known({
    input: count(told['input_tokens']),
    output: count(told['output_tokens']),
    cacheRead: count(told['cache_read_input_tokens']),
    cacheWrite: count(told['cache_creation_input_tokens']),
    reasoning: count(fields(told['output_tokens_details'])?.['thinking_tokens']),
  })
}

function modelOf(value: unknown): { model?: string } {
  const model = string(value)
  return model === undefined ? {} : { model: bounded(model, DETAIL) }
}

function toolStarted(part: Fields, subagent: Subagent): readonly CoderEvent[] {
  const id = string(part['id'])
  const name = string(part['name'])
  if (id === undefined || name === undefined) return []
  const detail = detailOf(fields(part['input']) ?? {})
  return [
    {
      type: 'tool-started',
      id: bounded(id, DETAIL),
      name: bounded(name, DETAIL),
      kind: kindOf(name),
      ...(detail === undefined ? {} : { detail }),
      ...subagent,
    },
  ]
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  Bash: 'shell',
  BashOutput: 'shell',
  KillShell: 'shell',
  Edit: 'edit',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Write: 'edit',
  Read: 'read',
  Glob: 'read',
  Grep: 'read',
  LS: 'read',
  Agent: 'agent',
  Task: 'agent',
  Workflow: 'agent',
}

function kindOf(name: string): ToolKind {
  if (name.startsWith('mcp__')) return 'mcp'
  return Object.hasOwn(KINDS, name) ? (KINDS[name] as ToolKind) : 'other'
}

function detailOf(input: Fields): string | undefined {
  for (const name of ['command', 'file_path', 'notebook_path', 'path', 'pattern', 'url', 'query', 'description']) {
    const value = string(input[name])
    if (value !== undefined) return firstLine(value, DETAIL)
  }
  return undefined
}

function user(told: Fields): readonly CoderEvent[] {
  const events: CoderEvent[] = []
  for (const part of parts(fields(told['message'])?.['content'])) {
    const id = string(part['tool_use_id'])
    if (part['type'] !== 'tool_result' || id === undefined) continue
    // Only what went wrong is worth telling: the output of the others is long, and stands in the raw stream.
    if (part['is_error'] === true)
      events.push({ type: 'tool-ended', id, failed: true, ...failureText(part['content']) })
    else events.push({ type: 'tool-ended', id, failed: false })
  }
  return events.length > 0 ? events : [{ type: 'notice', name: 'user' }]
}

function failureText(content: unknown): { text?: string } {
  const text =
    string(content) ??
    string(
      parts(content)
        .map((part) => string(part['text']) ?? '')
        .join('\n'),
    )
  return text === undefined ? {} : { text: bounded(text, RAW) }
}

function parts(content: unknown): readonly Fields[] {
  return each(list(content).slice(0, PARTS))
}

const NOTICES = new Set([
  'hook_started',
  'hook_response',
  'hook_progress',
  'informational',
  'model_fallback',
  'model_refusal_no_fallback',
  'notification',
  'status',
  'task_notification',
  'task_progress',
  'task_started',
  'task_updated',
  'thinking_tokens',
  'ui_invalidate',
])

function system(told: Fields): readonly CoderEvent[] | undefined {
  const subtype = string(told['subtype'])
  switch (subtype) {
    case undefined:
      return undefined
    case 'init':
      return session(told)
    case 'api_retry': {
      const kind = string(told['error'])
      const status = count(told['error_status'])
      const why = troubleFrom({ text: [status, kind].filter(Boolean).join(' '), kind, status })
      const delayMs = count(told['retry_delay_ms'])
      return [{ type: 'retrying', why, attempt: count(told['attempt']) ?? 0, ...known({ delayMs }) }]
    }
    case 'background_tasks_changed':
      return [{ type: 'background', pending: list(told['tasks']).length }]
    case 'permission_denied':
      return denied(told, string(told['message']))
    case 'compact_boundary':
      return [{ type: 'compacted' }]
    case 'status':
      if (told['compact_result'] === 'success') return [{ type: 'compacted' }]
  }
  if (!NOTICES.has(subtype)) return undefined
  const text = string(told['content']) ?? string(told['text']) ?? string(told['hook_name']) ?? string(told['summary'])
  return [{ type: 'notice', name: subtype, ...(text === undefined ? {} : { text: firstLine(text, DETAIL) }) }]
}

function session(told: Fields): readonly CoderEvent[] | undefined {
  const id = string(told['session_id'])
  // It will be an argument of the next attempt's command line.
  if (id === undefined || !/^[\w-]{1,128}$/.test(id)) return undefined
  const version = string(told['claude_code_version'])
  const payer = string(told['apiKeySource'])
  return [
    {
      type: 'session',
      id,
      ...modelOf(told['model']),
      ...(version === undefined ? {} : { version: bounded(version, DETAIL) }),
      ...(payer === undefined ? {} : { payer: bounded(payer, DETAIL) }),
    },
  ]
}

function denied(told: Fields, text?: string): readonly CoderEvent[] {
  const id = string(told['tool_use_id'])
  return [
    {
      type: 'denied',
      tool: bounded(string(told['tool_name']) ?? 'unknown', DETAIL),
      ...(id === undefined ? {} : { id: bounded(id, DETAIL) }),
      ...(text === undefined ? {} : { text: firstLine(text, DETAIL) }),
    },
  ]
}

function result(told: Fields): readonly CoderEvent[] {
  return [
    ...parts(told['permission_denials']).flatMap((call) => denied(call)),
    ...windows(fields(told['modelUsage']) ?? {}),
    ...total(told),
    ending(told),
  ]
}

function windows(models: Fields): readonly CoderEvent[] {
  return Object.entries(models)
    .slice(0, PARTS)
    .flatMap(([model, usage]) => {
      const tokens = count(fields(usage)?.['contextWindow'])
      return tokens === undefined || tokens === 0 ? [] : [{ type: 'window', tokens, model: bounded(model, DETAIL) }]
    })
}

/**
 * `model_usage_since_last_result` covers sub-agents and the cost too, and this run alone. Where a version does not tell
 * it, `usage` is the turn's without its sub-agents, and `total_cost_usd` the session's with all earlier runs.
 */
function total(told: Fields): readonly CoderEvent[] {
  const models = each(Object.values(fields(told['model_usage_since_last_result']) ?? {}))
  if (models.length > 0) {
    const sum = (name: string): number | undefined => added(models.map((model) => count(model[name])))
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

function added(values: readonly (number | undefined)[]): number | undefined {
  const told = values.filter((value) => value !== undefined)
  return told.length === 0 ? undefined : told.reduce((sum, value) => sum + value, 0)
}

/** `subtype` says "success" on failures of the API: `is_error` decides. */
function ending(told: Fields): CoderEvent {
  const subtype = string(told['subtype'])
  const text = string(told['result'])
  if (told['is_error'] === false && subtype === 'success') {
    return { type: 'result', ok: true, ...(text === undefined ? {} : { text: bounded(text, TEXT) }) }
  }
  const errors = list(told['errors']).flatMap((error) => string(error) ?? [])
  const words = bounded(text ?? (errors.slice(0, PARTS).join('; ') || subtype || 'no reason given'), TEXT)
  const trouble = troubleFrom({
    text: words,
    status: count(told['api_error_status']),
    reasons: [string(told['terminal_reason']), subtype],
  })
  return { type: 'result', ok: false, text: words, trouble }
}

function limit(told: Fields): readonly CoderEvent[] | undefined {
  const standing = fields(told['rate_limit_info'])
  if (standing === undefined) return undefined
  const name = string(standing['rateLimitType'])
  const windows = fields(standing['unifiedWindows']) ?? {}
  const used = count(fields(windows[name ?? ''])?.['utilization']) ?? count(standing['utilization'])
  const seconds = count(standing['resetsAt'])
  return [
    {
      type: 'limit',
      status: statusOf(standing['status'], windows),
      ...(name === undefined ? {} : { name: bounded(name, DETAIL) }),
      ...known({ resetsAt: seconds === undefined ? undefined : seconds * 1000 }),
      ...known({ usedPct: used === undefined ? undefined : Math.round(used * 100) }),
    },
  ]
}

/** A window may already warn while the whole is still called allowed. */
function statusOf(status: unknown, windows: Fields): 'allowed' | 'warning' | 'rejected' {
  if (status === 'rejected') return 'rejected'
  const statuses = [status, ...Object.values(windows).map((window) => fields(window)?.['status'])]
  return statuses.includes('allowed_warning') ? 'warning' : 'allowed'
}

/** Only with `--include-partial-messages`: the only place where a message's final usage stands before the result. */
function partial(told: Fields): readonly CoderEvent[] {
  const event = fields(told['event']) ?? {}
  const message = event['type'] === 'message_start' ? fields(event['message']) : undefined
  if (message !== undefined)
    return [...messageUsage(message, isSubagent(told)), { type: 'notice', name: 'stream_event' }]
  if (event['type'] === 'message_delta') {
    const delta = { id: told['api_message_id'], usage: event['usage'] }
    return [...messageUsage(delta, isSubagent(told)), { type: 'notice', name: 'stream_event' }]
  }
  return [{ type: 'notice', name: 'stream_event' }]
}
