import type { CoderEvent } from '../../domain/run/event.ts'
import { firstLine } from '../../domain/text/bounded.ts'
import { count, type Fields, fields, known, SHORT, string, word } from '../shared/fields.ts'
import { sessionId } from '../shared/session-id.ts'
import { troubleFrom } from './trouble.ts'

/** No information, but a sign of life. */
const NOTICES = new Set([
  'hook_progress',
  'hook_response',
  'hook_started',
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

/** `{"type":"system","subtype":…}`. */
export function system(told: Fields): readonly CoderEvent[] | undefined {
  switch (told['subtype']) {
    case 'init':
      return session(told)
    case 'api_retry':
      return retrying(told)
    case 'background_tasks_changed':
      return Array.isArray(told['tasks']) ? [{ type: 'background', pending: told['tasks'].length }] : undefined
    case 'permission_denied':
      return [denied(told)]
    case 'task_notification':
      return [...subagent(told), ...(notice(told) ?? [])]
    case 'compact_boundary':
      return [{ type: 'compacted' }]
    case 'status':
      return told['compact_result'] === 'success' ? [{ type: 'compacted' }] : notice(told)
    default:
      return notice(told)
  }
}

/** Every turn begins with one, also a turn that background work has started. */
function session(told: Fields): readonly CoderEvent[] | undefined {
  const id = sessionId(told['session_id'])
  if (id === undefined) return undefined
  const about = known({
    model: word(told['model']),
    version: word(told['claude_code_version']) ?? word(told['qwen_code_version']),
    payer: word(told['apiKeySource']),
  })
  return [{ type: 'session', id, ...about, step: true }]
}

/** Background commands have no `tool_uses`. */
function subagent(told: Fields): readonly CoderEvent[] {
  const call = word(told['tool_use_id'])
  const toolCalls = count(fields(told['usage'])?.['tool_uses'])
  return call === undefined || toolCalls === undefined ? [] : [{ type: 'subagent', call, toolCalls }]
}

function retrying(told: Fields): readonly CoderEvent[] {
  const kind = word(told['error'])
  const status = count(told['error_status'])
  const why = troubleFrom({ text: [status, kind].filter((each) => each !== undefined).join(' '), kind, status })
  const delayMs = count(told['retry_delay_ms'])
  return [{ type: 'retrying', why, attempt: count(told['attempt']) ?? 0, ...known({ delayMs }) }]
}

/** Also for a result, which lists all denied calls. */
export function denied(told: Fields): CoderEvent {
  const message = string(told['message'])
  return {
    type: 'denied',
    tool: word(told['tool_name']) ?? 'unknown',
    ...known({ id: word(told['tool_use_id']), text: message === undefined ? undefined : firstLine(message, SHORT) }),
  }
}

function notice(told: Fields): readonly CoderEvent[] | undefined {
  const name = string(told['subtype'])
  if (name === undefined || !NOTICES.has(name)) return undefined
  const text = string(told['content']) ?? string(told['text']) ?? string(told['hook_name']) ?? string(told['summary'])
  return [{ type: 'notice', name, ...known({ text: text === undefined ? undefined : firstLine(text, SHORT) }) }]
}
