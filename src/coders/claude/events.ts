import type { CoderEvent, ToolKind } from '../../domain/run/event.ts'
import { bounded, firstLine } from '../../domain/text/bounded.ts'
import type { ToolOutput } from '../../ports/coder.ts'
import { INTERRUPTED } from '../shared/ending.ts'
import { count, type Fields, fields, known, parsed, parts, SHORT, string, word } from '../shared/fields.ts'
import { printOf } from '../shared/print.ts'
import { toolDetail } from '../shared/tool-detail.ts'
import { toolFacts } from '../shared/tool-facts.ts'
import { messageUsage } from './message-usage.ts'
import { limit, result } from './result.ts'
import { system } from './system.ts'
import { troubleFrom } from './trouble.ts'

/** The most characters kept of a text, of a tool's error, and of an unknown line. */
const TEXT = 4000
const FAILURE = 500
const RAW = 500

/** One line of `claude -p --output-format stream-json --verbose`. */
export function claudeEvents(line: string): readonly CoderEvent[] {
  if (line === '') return []
  const told = parsed(line)
  return (told === undefined ? undefined : eventsOf(told)) ?? [{ type: 'unknown', raw: bounded(line, RAW) }]
}

/** undefined: an unknown event. */
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
    case 'error':
      return complaint(told)
    // A call that takes long is alive.
    case 'tool_progress':
      return [{ type: 'notice', name: 'tool_progress' }]
    default:
      return undefined
  }
}

function assistant(told: Fields): readonly CoderEvent[] | undefined {
  const message = fields(told['message'])
  if (message === undefined) return undefined
  const subagent = isSubagent(told)
  const content = parts(message['content'])
  const events: CoderEvent[] = []
  // Claude writes synthetic messages itself, without asking a model.
  const usage = message['model'] === '<synthetic>' ? undefined : messageUsage(message, subagent)
  if (usage !== undefined) events.push(usage)
  for (const part of content) {
    const event = part['type'] === 'tool_use' ? toolStarted(part, told) : said(part, subagent)
    if (event !== undefined) events.push(event)
  }
  const kind = string(told['error'])
  if (kind !== undefined) {
    const text = content.map((part) => string(part['text']) ?? '').join('\n')
    const complaint = { text, kind: string(told['api_error']) ?? kind, status: count(told['api_error_status']) }
    events.push({ type: 'trouble', trouble: troubleFrom(complaint) })
  }
  return events.length > 0 ? events : [{ type: 'notice', name: 'assistant' }]
}

function isSubagent(told: Fields): boolean {
  return string(told['parent_tool_use_id']) !== undefined
}

/** These make up most of a stream, so they are built without copying. */
type Made<T extends CoderEvent['type']> = { -readonly [K in keyof EventOf<T>]: EventOf<T>[K] }
type EventOf<T extends CoderEvent['type']> = Extract<CoderEvent, { type: T }>

function said(part: Fields, subagent: boolean): CoderEvent | undefined {
  const text = part['type'] === 'text' ? string(part['text']) : undefined
  if (text === undefined) return undefined
  const event: Made<'text'> = { type: 'text', text: bounded(text, TEXT) }
  if (subagent) event.subagent = true
  return event
}

function toolStarted(part: Fields, told: Fields): CoderEvent | undefined {
  const id = word(part['id'])
  const name = word(part['name'])
  if (id === undefined || name === undefined) return undefined
  const input = fields(part['input'])
  const kind = kindOf(name)
  const detail = toolDetail(input)
  const event: Made<'tool-started'> = { type: 'tool-started', id, name, kind }
  if (detail !== undefined) event.detail = detail
  const print = printOf(part['input'])
  if (print !== undefined) event.print = print
  const facts = toolFacts(kind, input)
  if (facts !== undefined) Object.assign(event, facts)
  if (isSubagent(told)) event.subagent = true
  const parent = word(told['parent_tool_use_id'])
  if (parent !== undefined) event.parent = parent
  return event
}

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ['Bash', 'shell'],
  ['BashOutput', 'shell'],
  ['KillShell', 'shell'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Write', 'edit'],
  ['Read', 'read'],
  ['Glob', 'read'],
  ['Grep', 'read'],
  ['LS', 'read'],
  ['Agent', 'agent'],
  ['Task', 'agent'],
  ['Workflow', 'agent'],
  // qwen's names.
  ['run_shell_command', 'shell'],
  ['edit', 'edit'],
  ['write_file', 'edit'],
  ['notebook_edit', 'edit'],
  ['read_file', 'read'],
  ['glob', 'read'],
  ['grep_search', 'read'],
  ['agent', 'agent'],
])

function kindOf(name: string): ToolKind {
  return name.startsWith('mcp__') ? 'mcp' : (KINDS.get(name) ?? 'other')
}

function user(told: Fields): readonly CoderEvent[] {
  const events: CoderEvent[] = [...deniedByHooks(told)]
  for (const part of parts(fields(told['message'])?.['content'])) {
    if (part['type'] === 'text' && string(part['text'])?.startsWith(INTERRUPT_MARK) === true) {
      events.push({ type: 'trouble', trouble: { code: 'interrupted', text: INTERRUPTED } })
      continue
    }
    const id = word(part['tool_use_id'])
    if (part['type'] !== 'tool_result' || id === undefined) continue
    // Only errors are kept: other output is long, and is in the raw stream.
    const print = known({ print: printOf(part['content']) })
    const failed = part['is_error'] === true
    events.push({ type: 'tool-ended', id, failed, ...(failed && failure(part['content'])), ...print })
  }
  return events.length > 0 ? events : [{ type: 'notice', name: 'user' }]
}

/** Claude writes it into the conversation at a SIGINT; then it may end without a result, and with exit 0. */
const INTERRUPT_MARK = '[Request interrupted by user'

/** A hook's refusal is told nowhere else before the result; a permission's is an event of its own. */
function deniedByHooks(told: Fields): readonly CoderEvent[] {
  return parts(told['tool_result_meta']).flatMap((about) => {
    const id = word(about['id'])
    const decision = fields(about['permission_decision'])
    if (id === undefined || decision?.['decision'] !== 'reject' || decision['source'] !== 'hook') return []
    const text = string(told['tool_use_result'])
    return [{ type: 'denied', tool: 'unknown', id, ...known({ text: text && firstLine(text, SHORT) }) } as const]
  })
}

function failure(content: unknown): { text?: string } {
  const text = textIn(content)
  return text === undefined ? {} : { text: bounded(text, FAILURE) }
}

function textIn(content: unknown): string | undefined {
  return (
    string(content) ??
    string(
      parts(content)
        .map((part) => string(part['text']) ?? '')
        .join('\n'),
    )
  )
}

/** The output of tools in one line. */
export function claudeOutputs(line: string): readonly ToolOutput[] {
  const told = parsed(line)
  if (told?.['type'] !== 'user') return []
  return parts(fields(told['message'])?.['content']).flatMap((part) => {
    const id = part['type'] === 'tool_result' ? word(part['tool_use_id']) : undefined
    const text = textIn(part['content'])
    return id === undefined || text === undefined ? [] : [{ id, text }]
  })
}

/** Not from claude: other CLIs with its format report here why they ended. */
function complaint(told: Fields): readonly CoderEvent[] | undefined {
  const text = string(told['message']) ?? string(fields(told['error'])?.['message'])
  return text === undefined ? undefined : [{ type: 'trouble', trouble: troubleFrom({ text }) }]
}

/** Only with `--include-partial-messages`, and then the only event before the result with a message's final usage. */
function partial(told: Fields): readonly CoderEvent[] {
  const event = fields(told['event'])
  const message =
    event?.['type'] === 'message_delta'
      ? { id: told['api_message_id'], usage: event['usage'] }
      : fields(event?.['message'])
  const usage = message === undefined ? undefined : messageUsage(message, isSubagent(told))
  return usage === undefined ? [{ type: 'notice', name: 'stream_event' }] : [usage]
}
