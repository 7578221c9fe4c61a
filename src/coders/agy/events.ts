import type { CoderEvent, ToolKind, Usage } from '../../domain/run/event.ts'
import { isZero } from '../../domain/run/usage.ts'
import { bounded, firstLine } from '../../domain/text/bounded.ts'
import { count, type Fields, fields, known, parsed, parts, SHORT, string, strings, word } from '../shared/fields.ts'
import { printOf } from '../shared/print.ts'
import { sessionId } from '../shared/session-id.ts'
import { toolFacts } from '../shared/tool-facts.ts'
import { agyTrouble, signInFailure } from './trouble.ts'

const TEXT = 4000
const FAILURE = 500
const RAW = 500

/** One line of `agy --output-format stream-json`: `event` names the event, and its content is under that name. */
export function agyEvents(line: string): readonly CoderEvent[] {
  if (line === '') return []
  const told = parsed(line)
  const failure = told === undefined ? signInFailure(line) : undefined
  if (failure !== undefined) return [{ type: 'trouble', trouble: failure }]
  return (told === undefined ? undefined : eventsOf(told)) ?? [{ type: 'unknown', raw: bounded(line, RAW) }]
}

function eventsOf(told: Fields): readonly CoderEvent[] | undefined {
  switch (told['event']) {
    case 'init':
      return session(told)
    case 'step_update':
      return step(fields(told['step_update']))
    case 'result':
      return result(fields(told['result']))
    default:
      return undefined
  }
}

function session(told: Fields): readonly CoderEvent[] | undefined {
  const about = fields(told['init'])
  const id = sessionId(told['conversation_id'] ?? about?.['conversation_id'])
  return id === undefined ? undefined : [{ type: 'session', id, ...known({ model: word(about?.['model']) }) }]
}

/** `usage` of a step is not counted: it may be the step's or the sum so far. The result has the total. */
function step(told: Fields | undefined): readonly CoderEvent[] | undefined {
  const type = word(told?.['step_type'])
  if (told === undefined || type === undefined) return undefined
  if (type === 'tool' || type === 'subagent' || fields(told['tool_info']) !== undefined) return tool(told, type)
  if (type === 'user_input') return turn(told)
  const text = type === 'agent_response' ? string(told['text_delta']) : undefined
  return text === undefined ? [{ type: 'notice', name: type }] : [{ type: 'text', text: bounded(text, TEXT) }]
}

/** A prompt begins a turn. */
function turn(told: Fields): readonly CoderEvent[] {
  const id = sessionId(told['conversation_id'])
  return [id === undefined ? { type: 'notice', name: 'user_input' } : { type: 'session', id, step: true }]
}

/** A short call appears only once, as DONE. So an end also starts the call; a start counts once. */
function tool(told: Fields, type: string): readonly CoderEvent[] | undefined {
  const index = count(told['step_index'])
  if (index === undefined) return undefined
  const about = fields(told['tool_info'])
  const id = `${word(told['conversation_id']) ?? ''}/${index}`
  const name = word(told['tool_name']) ?? word(about?.['name']) ?? type
  const kind = type === 'subagent' ? 'agent' : kindOf(name)
  const facts = toolFacts(kind, fields(about?.['parameters']))
  const started = {
    type: 'tool-started',
    id,
    name,
    kind,
    ...known({ detail: detailOf(about), print: printOf(about?.['parameters']) }),
    ...facts,
  } as const
  if (told['state'] === 'ACTIVE') return [started]
  const problem = string(about?.['error'])
  const failed = told['state'] === 'ERROR' || problem !== undefined
  const text = problem === undefined ? undefined : bounded(problem, FAILURE)
  const print = printOf(about && [about['output'], problem])
  return [started, { type: 'tool-ended', id, failed, ...known({ text, print }) }]
}

/** Its tools have many names; the kind decides how long a call may take. */
const KINDS: readonly (readonly [RegExp, ToolKind])[] = [
  [/^mcp/i, 'mcp'],
  [/agent/i, 'agent'],
  [/command|shell|terminal/i, 'shell'],
  [/write|replace|edit|create|delete/i, 'edit'],
  [/read|view|list|grep|find|search/i, 'read'],
]

function kindOf(name: string): ToolKind {
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
}

/** The names of the parameters are unknown; the first text among them says most. */
function detailOf(about: Fields | undefined): string | undefined {
  const text = Object.values(fields(about?.['parameters']) ?? {}).find((value) => string(value) !== undefined)
  return text === undefined ? undefined : firstLine(text as string, SHORT)
}

/** The end of a turn. Its usage covers all turns so far. */
function result(told: Fields | undefined): readonly CoderEvent[] | undefined {
  if (told === undefined) return undefined
  const usage = usageOf(fields(told['usage']) ?? {})
  const total = isZero(usage) ? [] : [{ type: 'total', covers: 'run', usage } as const]
  return [...denied(told), ...total, ending(told)]
}

/** Google counts cached tokens as part of the input, unless the total shows that they are counted separately. */
function usageOf(told: Fields): Usage {
  const input = count(told['input_tokens'])
  const output = count(told['output_tokens'])
  const cacheRead = count(told['cache_read_tokens'])
  const beside = count(told['total_tokens']) === (input ?? 0) + (output ?? 0) + (cacheRead ?? 0)
  return known({
    input: input === undefined || beside ? input : Math.max(0, input - (cacheRead ?? 0)),
    output,
    cacheRead,
    reasoning: count(told['thinking_tokens']),
  })
}

function denied(told: Fields): readonly CoderEvent[] {
  const named = parts(told['denied_actions']).map((each) => {
    const tool = word(each['tool_name']) ?? word(each['tool']) ?? word(each['name']) ?? word(each['action'])
    return tool ?? 'unknown'
  })
  const words = strings(told['denied_actions']).map((each) => firstLine(each, SHORT) || 'unknown')
  return [...named, ...words].map((tool) => ({ type: 'denied', tool }))
}

/**
 * A success without a single token may be a turn that the print timeout cut short. Only stderr can tell, and the
 * verdict reads stderr only after a failure.
 */
export const UNPAID = 'it says SUCCESS, and counts no token'

function ending(told: Fields): CoderEvent {
  const text = string(told['response'])
  const said = known({ text: text === undefined ? undefined : bounded(text, TEXT) })
  if (told['status'] !== 'SUCCESS') {
    const words = wordsOf(told['error']) ?? text ?? `status ${word(told['status']) ?? 'unknown'}, no reason given`
    return { type: 'result', ok: false, text: bounded(words, TEXT), trouble: agyTrouble(words) }
  }
  const refused = denied(told).flatMap((event) => (event.type === 'denied' ? [event.tool] : []))
  if (refused.length > 0 && text === undefined) {
    const why = `stopped where nobody could give permission: ${refused.slice(0, 3).join(', ')}`
    return { type: 'result', ok: false, text: why, trouble: { code: 'denied', text: why } }
  }
  const usage = fields(told['usage'])
  if (usage !== undefined && isZero(usageOf(usage))) {
    return { type: 'result', ok: false, ...said, trouble: { code: 'error', text: UNPAID } }
  }
  return { type: 'result', ok: true, ...said }
}

function wordsOf(error: unknown): string | undefined {
  const about = fields(error)
  return string(error) ?? string(about?.['short_error']) ?? string(about?.['message'])
}
