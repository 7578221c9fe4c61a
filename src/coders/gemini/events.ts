import type { CoderEvent, ToolKind, Usage } from '../../domain/run/event.ts'
import { bounded, firstLine } from '../../domain/text/bounded.ts'
import type { ToolOutput } from '../../ports/coder.ts'
import { count, entries, type Fields, fields, known, parsed, SHORT, string, word } from '../shared/fields.ts'
import { windowOf } from '../shared/model-windows.ts'
import { printOf } from '../shared/print.ts'
import { sessionId } from '../shared/session-id.ts'
import { toolDetail } from '../shared/tool-detail.ts'
import { toolFacts } from '../shared/tool-facts.ts'
import { geminiTrouble } from './trouble.ts'

const TEXT = 4000
const FAILURE = 500
const RAW = 500

/** One line of `gemini --output-format stream-json`. */
export function geminiEvents(line: string): readonly CoderEvent[] {
  if (line === '') return []
  const told = parsed(line)
  return (told === undefined ? undefined : eventsOf(told)) ?? [{ type: 'unknown', raw: bounded(line, RAW) }]
}

function eventsOf(told: Fields): readonly CoderEvent[] | undefined {
  switch (told['type']) {
    case 'init':
      return session(told)
    case 'message':
      return said(told)
    case 'tool_use':
      return toolStarted(told)
    case 'tool_result':
      return toolEnded(told)
    case 'error':
      return complaint(told)
    case 'result':
      return result(told)
    default:
      return undefined
  }
}

/** The model is the first one it will ask: `auto` if none was chosen. */
function session(told: Fields): readonly CoderEvent[] | undefined {
  const id = sessionId(told['session_id'])
  if (id === undefined) return undefined
  const model = word(told['model'])
  const tokens = model === undefined ? undefined : windowOf(model)
  const window: CoderEvent[] = tokens === undefined ? [] : [{ type: 'window', tokens, ...known({ model }) }]
  return [{ type: 'session', id, ...known({ model }) }, ...window]
}

/** The prompt comes first, then the answer in pieces. */
function said(told: Fields): readonly CoderEvent[] {
  const text = told['role'] === 'assistant' ? string(told['content']) : undefined
  return [text === undefined ? { type: 'notice', name: 'message' } : { type: 'text', text: bounded(text, TEXT) }]
}

function toolStarted(told: Fields): readonly CoderEvent[] | undefined {
  const id = word(told['tool_id'])
  const name = word(told['tool_name'])
  if (id === undefined || name === undefined) return undefined
  const input = fields(told['parameters'])
  const kind = kindOf(name)
  const about = known({ detail: toolDetail(input), print: printOf(told['parameters']) })
  return [{ type: 'tool-started', id, name, kind, ...about, ...toolFacts(kind, input) }]
}

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ['run_shell_command', 'shell'],
  ['read_background_output', 'shell'],
  ['replace', 'edit'],
  ['write_file', 'edit'],
  ['read_file', 'read'],
  ['read_many_files', 'read'],
  ['list_directory', 'read'],
  ['glob', 'read'],
  ['grep_search', 'read'],
  ['search_file_content', 'read'],
  ['invoke_agent', 'agent'],
])

function kindOf(name: string): ToolKind {
  return name.startsWith('mcp_') ? 'mcp' : (KINDS.get(name) ?? 'other')
}

function toolEnded(told: Fields): readonly CoderEvent[] | undefined {
  const id = word(told['tool_id'])
  if (id === undefined) return undefined
  const print = printOf([told['output'], told['error']])
  if (told['status'] !== 'error') return [{ type: 'tool-ended', id, failed: false, ...known({ print }) }]
  const error = fields(told['error'])
  const words = string(error?.['message']) ?? string(told['output'])
  const ended = {
    type: 'tool-ended',
    id,
    failed: true,
    ...known({ text: words && bounded(words, FAILURE), print }),
  } as const
  if (error?.['type'] !== 'policy_violation') return [ended]
  // Only the id names the tool: `run_shell_command__run_shell_command_1794799054875_0`.
  const [tool = id] = id.split('__')
  return [ended, { type: 'denied', tool, id, ...known({ text: words && firstLine(words, SHORT) }) }]
}

/** The output of the tool in one line. */
export function geminiOutputs(line: string): readonly ToolOutput[] {
  const told = parsed(line)
  const id = told?.['type'] === 'tool_result' ? word(told['tool_id']) : undefined
  const text = string(told?.['output'])
  return id === undefined || text === undefined ? [] : [{ id, text }]
}

/** Gemini continues after a warning, except after a loop, and then it calls the end a success. */
function complaint(told: Fields): readonly CoderEvent[] {
  const text = string(told['message']) ?? 'no reason given'
  const ends = told['severity'] === 'error' || text.startsWith('Loop detected')
  if (ends) return [{ type: 'trouble', trouble: geminiTrouble({ text }) }]
  return [{ type: 'notice', name: 'error', text: firstLine(text, SHORT) }]
}

function result(told: Fields): readonly CoderEvent[] {
  return [...total(fields(told['stats'])), ending(told)]
}

/** Counts this run alone, also in a resumed session. Only the total includes reasoning. */
function total(stats: Fields | undefined): readonly CoderEvent[] {
  if (stats === undefined) return []
  const prompt = count(stats['input_tokens'])
  const answer = count(stats['output_tokens'])
  const all = count(stats['total_tokens'])
  const cacheRead = count(stats['cached'])
  const told = prompt !== undefined && answer !== undefined && all !== undefined
  const reasoning = told ? Math.max(0, all - prompt - answer) : undefined
  const usage: Usage = known({
    input: count(stats['input']) ?? (prompt === undefined ? undefined : Math.max(0, prompt - (cacheRead ?? 0))),
    output: answer === undefined ? undefined : answer + (reasoning ?? 0),
    cacheRead,
    reasoning,
  })
  return [{ type: 'total', covers: 'run', usage, ...known({ model: servedBy(stats) }) }]
}

/** Gemini also asks cheap models for routing and summaries. */
function servedBy(stats: Fields): string | undefined {
  const models = entries(stats['models']).map(([name, used]) => [name, count(used['total_tokens']) ?? 0] as const)
  const [most] = models.filter(([, tokens]) => tokens > 0).sort(([, one], [, other]) => other - one)
  return most?.[0]
}

function ending(told: Fields): CoderEvent {
  if (told['status'] === 'success') return { type: 'result', ok: true }
  const error = fields(told['error'])
  const text = string(error?.['message']) ?? `status ${word(told['status']) ?? 'unknown'}, no reason given`
  const trouble = geminiTrouble({ text, kind: word(error?.['type']) })
  return { type: 'result', ok: false, text: trouble.text, trouble }
}
