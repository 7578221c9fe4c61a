import type { CoderEvent, ToolKind, Usage } from '../../domain/run/event.ts'
import { isZero } from '../../domain/run/usage.ts'
import { bounded, firstLine } from '../../domain/text/bounded.ts'
import type { SidecarRun } from '../../ports/coder.ts'
import { count, type Fields, fields, known, parsed, parts, SHORT, string, word } from '../shared/fields.ts'
import { limitOf } from './limits.ts'
import { troubleFrom } from './trouble.ts'
import { codexUsage } from './usage.ts'

/**
 * Reads the file in which codex keeps a thread: `{"timestamp", "type", "payload"}` on each line. It reports facts that stdout
 * lacks: model, window, limits, usage of each request, why a turn failed, and calls that were refused or print nothing.
 */
export function rolloutReader(run: SidecarRun): (line: string) => readonly CoderEvent[] {
  const reading: Reading = {
    run,
    begun: false,
    earlier: undefined,
    hasRecords: false,
    told: new Map(),
    calls: new Map(),
  }
  return (line) => read(reading, line)
}

interface Reading {
  readonly run: SidecarRun
  /** Lines from here on belong to this run; earlier lines to earlier runs. */
  begun: boolean
  /** The last total of earlier runs. */
  earlier: { readonly tokens: number | undefined; readonly usage: Usage } | undefined
  /** This version records every request; in others the count after the request has the same numbers. */
  hasRecords: boolean
  /** The last event of each kind, so that an unchanged one is not repeated. */
  readonly told: Map<string, string>
  /** Names of the calls without an answer yet. */
  readonly calls: Map<string, string>
}

type Teller = (reading: Reading, payload: Fields) => readonly CoderEvent[]

/** By the type of the line and of its payload. stdout covers other lines, or they do not matter. */
const TELLERS: ReadonlyMap<string, Teller> = new Map<string, Teller>([
  ['session_meta', version],
  ['turn_context', model],
  ['token_usage_record', requestRecord],
  ['compacted', () => [{ type: 'compacted' }]],
  ['event_msg/task_started', window],
  ['event_msg/token_count', tokenCount],
  ['event_msg/task_complete', (_, payload) => failure(fields(payload['error']))],
  ['event_msg/error', (_, payload) => failure(payload)],
  ['response_item/function_call', call],
  ['response_item/custom_tool_call', call],
  ['response_item/function_call_output', answer],
  ['response_item/custom_tool_call_output', answer],
])

const RAW = 500
/** Most lines need no parsing: prompts, instructions and the output of tools are long. */
const HEAD = /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"(\w+)","payload":\{"type":"(\w+)"/

function read(reading: Reading, line: string): readonly CoderEvent[] {
  const [, type, inner] = HEAD.exec(line) ?? []
  if (line === '' || (type !== undefined && tellerOf(type, inner) === undefined)) return []
  const told = parsed(line)
  const payload = fields(told?.['payload'])
  if (told === undefined) return [{ type: 'unknown', raw: bounded(line, RAW) }]
  const tell = tellerOf(string(told['type']), string(payload?.['type']))
  if (payload === undefined || tell === undefined) return []
  if (reading.begun) return tell(reading, payload)
  if (!isOfThisRun(reading.run, told)) {
    remember(reading, payload)
    return []
  }
  reading.begun = true
  const { earlier } = reading
  const first: readonly CoderEvent[] =
    earlier === undefined ? [] : [{ type: 'total', covers: 'earlier', usage: earlier.usage }]
  return [...first, ...tell(reading, payload)]
}

function tellerOf(type: string | undefined, inner: string | undefined): Teller | undefined {
  return TELLERS.get(`${type}/${inner}`) ?? TELLERS.get(type ?? '')
}

function isOfThisRun({ startedAt }: SidecarRun, told: Fields): boolean {
  return Date.parse(string(told['timestamp']) ?? '') >= startedAt
}

/** Of earlier runs only the total matters: this run's usage is the growth of the thread's total. */
function remember(reading: Reading, payload: Fields): void {
  const total = fields(payload['thread_token_usage']) ?? fields(fields(payload['info'])?.['total_token_usage'])
  if (total !== undefined) reading.earlier = { tokens: count(total['total_tokens']), usage: codexUsage(total) }
}

/** The thread began in this run, so its earlier usage is zero. */
function version({ run }: Reading, payload: Fields): readonly CoderEvent[] {
  if (payload['id'] !== run.session) return []
  return [
    { type: 'session', id: run.session, ...known({ version: word(payload['cli_version']) }) },
    { type: 'total', covers: 'earlier', usage: {} },
  ]
}

function model(reading: Reading, payload: Fields): readonly CoderEvent[] {
  const name = word(payload['model'])
  return name === undefined ? [] : unlessTold(reading, { type: 'session', id: reading.run.session, model: name })
}

function window(reading: Reading, payload: Fields): readonly CoderEvent[] {
  const tokens = count(payload['model_context_window'])
  return tokens === undefined || tokens === 0 ? [] : unlessTold(reading, { type: 'window', tokens })
}

function requestRecord(reading: Reading, payload: Fields): readonly CoderEvent[] {
  const usage = fields(payload['usage'])
  const message = word(payload['response_id'])
  if (usage === undefined || message === undefined) return []
  reading.hasRecords = true
  return [{ type: 'usage', message, usage: codexUsage(usage) }]
}

function tokenCount(reading: Reading, payload: Fields): readonly CoderEvent[] {
  const info = fields(payload['info'])
  const limits = fields(payload['rate_limits'])
  const limit = limits === undefined ? undefined : limitOf(limits)
  return [
    ...(info === undefined ? [] : [...window(reading, info), ...lastRequest(reading, info)]),
    ...(limit === undefined ? [] : unlessTold(reading, limit)),
  ]
}

/** Codex repeats a count without a new request; then the thread's total has not changed. */
function lastRequest({ hasRecords, earlier }: Reading, info: Fields): readonly CoderEvent[] {
  const last = fields(info['last_token_usage'])
  const tokens = count(fields(info['total_token_usage'])?.['total_tokens'])
  if (hasRecords || last === undefined || tokens === undefined || tokens === earlier?.tokens) return []
  const usage = codexUsage(last)
  return isZero(usage) ? [] : [{ type: 'usage', message: `up to ${tokens} tokens`, usage }]
}

function failure(error: Fields | undefined): readonly CoderEvent[] {
  const message = string(error?.['message'])
  return message === undefined ? [] : [{ type: 'trouble', trouble: troubleFrom(message, error?.['codex_error_info']) }]
}

/** Calls that never appear on stdout. */
const SILENT: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['request_user_input', 'other'],
  ['request_user_input_async', 'other'],
  ['sleep', 'other'],
  ['tool_search', 'other'],
  ['view_image', 'read'],
  ['write_stdin', 'shell'],
])

/** The most calls without an answer that are remembered: far more than a real run has. */
const WAITING = 1000

function call({ calls }: Reading, payload: Fields): readonly CoderEvent[] {
  const id = word(payload['call_id'])
  const name = word(payload['name'])
  if (id === undefined || name === undefined) return []
  if (calls.size < WAITING) calls.set(id, name)
  const kind = SILENT.get(name)
  return kind === undefined ? [] : [{ type: 'tool-started', id, name, kind }]
}

/** A hook or the sandbox refused the call; stdout does not mention it. */
const REFUSED = /^(?:script error:\s+)?((?:command blocked by \w+ hook|patch rejected)\b.*)/i

function answer({ calls }: Reading, payload: Fields): readonly CoderEvent[] {
  const id = word(payload['call_id'])
  if (id === undefined) return []
  const name = calls.get(id) ?? 'unknown'
  calls.delete(id)
  const refusal = outputs(payload['output']).flatMap((text) => REFUSED.exec(text)?.[1] ?? [])[0]
  const denied: readonly CoderEvent[] =
    refusal === undefined ? [] : [{ type: 'denied', tool: name, id, text: firstLine(refusal, SHORT) }]
  return SILENT.has(name) ? [...denied, { type: 'tool-ended', id, failed: refusal !== undefined }] : denied
}

function outputs(output: unknown): readonly string[] {
  return [string(output), ...parts(output).map(({ text }) => string(text))].filter((each) => each !== undefined)
}

function unlessTold({ told }: Reading, event: CoderEvent): readonly CoderEvent[] {
  const words = JSON.stringify(event)
  if (told.get(event.type) === words) return []
  told.set(event.type, words)
  return [event]
}
