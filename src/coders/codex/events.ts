import type { CoderEvent, ToolKind } from '../../domain/run/event.ts'
import { bounded, firstLine } from '../../domain/text/bounded.ts'
import type { ToolOutput } from '../../ports/coder.ts'
import { count, type Fields, fields, known, parsed, parts, SHORT, string, word } from '../shared/fields.ts'
import { printOf } from '../shared/print.ts'
import { sessionId } from '../shared/session-id.ts'
import { commandFacts, pathFacts, type ToolFacts } from '../shared/tool-facts.ts'
import { troubleFrom } from './trouble.ts'
import { codexUsage } from './usage.ts'

/** The most characters kept of a text, of a tool's error, and of an unknown line. */
const TEXT = 4000
const FAILURE = 500
const RAW = 500

/** One line of `codex exec --json`. */
export function codexEvents(line: string): readonly CoderEvent[] {
  if (line === '') return []
  const told = parsed(line)
  return (told === undefined ? undefined : eventsOf(told)) ?? [{ type: 'unknown', raw: bounded(line, RAW) }]
}

/** undefined: an unknown event. */
function eventsOf(told: Fields): readonly CoderEvent[] | undefined {
  switch (told['type']) {
    case 'thread.started':
      return session(told)
    case 'turn.started':
      return [{ type: 'notice', name: 'turn.started' }]
    case 'item.started':
      return itemStarted(told)
    case 'item.updated':
      return notice(fields(told['item']))
    case 'item.completed':
      return itemCompleted(told)
    case 'turn.completed':
      return completed(told)
    case 'turn.failed':
      return [failed(string(fields(told['error'])?.['message']) ?? 'no reason given')]
    case 'error':
      return complaint(told)
    default:
      return undefined
  }
}

function session(told: Fields): readonly CoderEvent[] | undefined {
  const id = sessionId(told['thread_id'])
  return id === undefined ? undefined : [{ type: 'session', id }]
}

/** The usage covers the whole thread, with the runs before this one. */
function completed(told: Fields): readonly CoderEvent[] {
  const usage = fields(told['usage'])
  const done: CoderEvent = { type: 'result', ok: true }
  return usage === undefined ? [done] : [{ type: 'total', covers: 'session', usage: codexUsage(usage) }, done]
}

function failed(message: string): CoderEvent {
  return { type: 'result', ok: false, text: bounded(message, TEXT), trouble: troubleFrom(message) }
}

const RECONNECTING = /^Reconnecting\.\.\. (?:(\d+)\/\d+|waiting for network)(?: \((.*)\))?$/s

/** Not fatal while codex retries; a fatal error appears again when the turn fails. */
function complaint(told: Fields): readonly CoderEvent[] | undefined {
  const message = string(told['message'])
  if (message === undefined) return undefined
  const [again, attempt, why = message] = RECONNECTING.exec(message) ?? []
  return again === undefined
    ? [{ type: 'trouble', trouble: troubleFrom(message) }]
    : [{ type: 'retrying', why: troubleFrom(why), attempt: Number(attempt ?? 0) }]
}

interface Tool {
  readonly kind: ToolKind
  name?(item: Fields): string | undefined
  detail?(item: Fields): string | undefined
  facts?(item: Fields): ToolFacts | undefined
  /** Absent: its items do not tell them all, as the content of a change. */
  arguments?(item: Fields): unknown
}

const TOOLS: ReadonlyMap<unknown, Tool> = new Map<unknown, Tool>([
  [
    'command_execution',
    { kind: 'shell', detail: command, facts: (item) => commandFacts(command(item)), arguments: command },
  ],
  ['file_change', { kind: 'edit', detail: paths, facts: (item) => pathFacts(pathsOf(item)) }],
  [
    'mcp_tool_call',
    {
      kind: 'mcp',
      name: ({ server, tool }) => `mcp__${word(server) ?? ''}__${word(tool) ?? ''}`,
      arguments: (item) => item['arguments'],
    },
  ],
  [
    'collab_tool_call',
    {
      kind: 'agent',
      name: ({ tool }) => word(tool),
      detail: ({ prompt }) => string(prompt),
      arguments: (item) => item['prompt'],
    },
  ],
  ['web_search', { kind: 'other', detail: ({ query }) => string(query), arguments: (item) => item['query'] }],
])

/** No information, but a sign of life. An `error` among items is only a warning. */
const NOTICES = new Set<unknown>(['agent_message', 'reasoning', 'todo_list', 'plan', 'error', ...TOOLS.keys()])

function itemStarted(told: Fields): readonly CoderEvent[] | undefined {
  const item = fields(told['item'])
  const tool = TOOLS.get(item?.['type'])
  const id = word(item?.['id'])
  if (item === undefined || tool === undefined || id === undefined) return notice(item)
  const detail = tool.detail?.(item)
  return [
    {
      type: 'tool-started',
      id,
      name: nameOf(tool, item),
      kind: tool.kind,
      ...known({ detail: detail === undefined ? undefined : firstLine(detail, SHORT) }),
      ...tool.facts?.(item),
      ...known({ print: printOf(tool.arguments?.(item)) }),
    },
  ]
}

function itemCompleted(told: Fields): readonly CoderEvent[] | undefined {
  const item = fields(told['item'])
  if (item === undefined) return undefined
  if (item['type'] === 'agent_message') {
    const text = string(item['text'])
    return text === undefined ? notice(item) : [{ type: 'text', text: bounded(text, TEXT) }]
  }
  const tool = TOOLS.get(item['type'])
  const id = word(item['id'])
  if (tool === undefined || id === undefined) return notice(item)
  const status = item['status']
  const isDeclined = status === 'declined'
  const { aggregated_output: output, exit_code: exit, result, error } = item
  const print = printOf([output, exit, result, error])
  if (status !== 'failed' && !isDeclined) return [{ type: 'tool-ended', id, failed: false, ...known({ print }) }]
  const ended: CoderEvent = { type: 'tool-ended', id, failed: true, ...known({ text: failure(item), print }) }
  return isDeclined ? [{ type: 'denied', tool: nameOf(tool, item), id }, ended] : [ended]
}

function nameOf(tool: Tool, item: Fields): string {
  return tool.name?.(item) ?? word(item['type']) ?? 'unknown'
}

/** Only errors are kept: other output is long, and is in the raw stream. */
function failure(item: Fields): string | undefined {
  const output = string(item['aggregated_output'])
  const exit = count(item['exit_code'])
  const message = string(fields(item['error'])?.['message'])
  const said = [exit === undefined ? undefined : `exit code ${exit}`, message, output].filter(
    (each) => each !== undefined,
  )
  return said.length === 0 ? undefined : bounded(said.join('\n'), FAILURE)
}

/** The output of the tool in one line. */
export function codexOutputs(line: string): readonly ToolOutput[] {
  const told = parsed(line)
  const item = told?.['type'] === 'item.completed' ? fields(told['item']) : undefined
  const id = word(item?.['id'])
  const result = parts(fields(item?.['result'])?.['content']).map((part) => string(part['text']) ?? '')
  const text = string(item?.['aggregated_output']) ?? string(result.join('\n'))
  return id === undefined || text === undefined ? [] : [{ id, text }]
}

const SHELL = /^\S*\b(?:ba|z)?sh -l?c (?:'([^']*)'$)?/

/** Without the shell around it, if it is simple to remove. */
function command(item: Fields): string | undefined {
  const whole = string(item['command'])
  const [shell, inside] = SHELL.exec(whole ?? '') ?? []
  return inside ?? whole?.slice(shell?.length ?? 0)
}

function paths(item: Fields): string | undefined {
  return string(
    parts(item['changes'])
      .map(({ path }) => word(path) ?? '')
      .join(', '),
  )
}

/** The whole list: `paths` is for people. */
function pathsOf(item: Fields): (string | undefined)[] {
  return parts(item['changes']).flatMap(({ path, kind }) => [string(path), string(fields(kind)?.['move_path'])])
}

function notice(item: Fields | undefined): readonly CoderEvent[] | undefined {
  const name = string(item?.['type'])
  if (item === undefined || name === undefined || !NOTICES.has(name)) return undefined
  const text = name === 'error' ? string(item['message']) : undefined
  return [{ type: 'notice', name, ...known({ text: text === undefined ? undefined : firstLine(text, SHORT) }) }]
}
