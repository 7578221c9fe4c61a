import type { CoderEvent, ToolKind, Usage } from '../../domain/run/event.ts'
import { bounded } from '../../domain/text/bounded.ts'
import type { ToolOutput } from '../../ports/coder.ts'
import { count, type Fields, fields, known, parsed, string, word } from '../shared/fields.ts'
import { printOf } from '../shared/print.ts'
import { sessionId } from '../shared/session-id.ts'
import { toolDetail } from '../shared/tool-detail.ts'
import { toolFacts } from '../shared/tool-facts.ts'
import { opencodeTrouble } from './trouble.ts'

const TEXT = 4000
const FAILURE = 500
const RAW = 500

/** One line of `opencode run --format json`. Only the steps of a turn begin and finish: a run has no first or last event. */
export function opencodeEvents(line: string): readonly CoderEvent[] {
  if (line === '') return []
  const told = parsed(line)
  return (told === undefined ? undefined : eventsOf(told)) ?? [{ type: 'unknown', raw: bounded(line, RAW) }]
}

function eventsOf(told: Fields): readonly CoderEvent[] | undefined {
  if (told['type'] === 'error') return complaint(told)
  const part = fields(told['part'])
  if (part === undefined) return undefined
  switch (told['type']) {
    case 'step_start':
      return begun(told)
    case 'text':
      return said(part)
    case 'reasoning':
      return [{ type: 'notice', name: 'reasoning' }]
    case 'tool_use':
      return tool(part)
    case 'step_finish':
      return finished(part)
    default:
      return undefined
  }
}

function begun(told: Fields): readonly CoderEvent[] | undefined {
  const id = sessionId(told['sessionID'])
  return id === undefined ? undefined : [{ type: 'session', id, step: true }]
}

/** Its last event, unless it recovers: after a compaction it continues, and still exits with 1. */
function complaint(told: Fields): readonly CoderEvent[] | undefined {
  const error = fields(told['error'])
  if (error === undefined) return undefined
  const id = sessionId(told['sessionID'])
  const trouble = opencodeTrouble(error, count(told['timestamp']))
  return [...(id === undefined ? [] : [{ type: 'session', id } as const]), { type: 'trouble', trouble }]
}

function said(part: Fields): readonly CoderEvent[] {
  // opencode wrote this to the model, to make it continue after a compaction.
  if (part['synthetic'] === true) {
    const compacted = fields(part['metadata'])?.['compaction_continue'] === true
    return [compacted ? { type: 'compacted' } : { type: 'notice', name: 'text' }]
  }
  const text = string(part['text'])
  return [text === undefined ? { type: 'notice', name: 'text' } : { type: 'text', text: bounded(text, TEXT) }]
}

/** opencode reports a call when it has ended, so one line makes a start and an end. */
function tool(part: Fields): readonly CoderEvent[] | undefined {
  const id = word(part['callID']) ?? word(part['id'])
  const name = word(part['tool'])
  const state = fields(part['state'])
  if (id === undefined || name === undefined || state === undefined) return undefined
  const input = fields(state['input'])
  const kind = kindOf(name)
  const detail = toolDetail(input)
  const started = {
    type: 'tool-started',
    id,
    name,
    kind,
    ...known({ detail, print: printOf(state['input']) }),
    ...toolFacts(kind, input),
  } as const
  const status = state['status']
  if (status !== 'completed' && status !== 'error') return [started]
  const exit = fields(state['metadata'])?.['exit']
  const failed = status === 'error' || (typeof exit === 'number' && exit !== 0)
  const print = printOf([state['output'], state['error']])
  if (!failed) return [started, { type: 'tool-ended', id, failed, ...known({ print }) }]
  const words = string(state['error']) ?? string(state['output'])
  const text = words === undefined ? undefined : bounded(words, FAILURE)
  return [
    started,
    { type: 'tool-ended', id, failed, ...known({ text, print }) },
    ...refusal({ id, name, detail, words }),
  ]
}

/** The output of the tool in one line. */
export function opencodeOutputs(line: string): readonly ToolOutput[] {
  const told = parsed(line)
  const part = told?.['type'] === 'tool_use' ? fields(told['part']) : undefined
  const id = word(part?.['callID']) ?? word(part?.['id'])
  const text = string(fields(part?.['state'])?.['output'])
  return id === undefined || text === undefined ? [] : [{ id, text }]
}

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ['bash', 'shell'],
  ['edit', 'edit'],
  ['write', 'edit'],
  ['patch', 'edit'],
  ['apply_patch', 'edit'],
  ['multiedit', 'edit'],
  ['read', 'read'],
  ['glob', 'read'],
  ['grep', 'read'],
  ['list', 'read'],
  ['task', 'agent'],
  ['plan_enter', 'other'],
  ['plan_exit', 'other'],
])

/** The tools of an MCP server have the server's name as a prefix. */
function kindOf(name: string): ToolKind {
  return KINDS.get(name) ?? (name.includes('_') ? 'mcp' : 'other')
}

interface Refused {
  readonly id: string
  readonly name: string
  readonly detail: string | undefined
  readonly words: string | undefined
}

/** After a forbidden call the model continues. A call that needs approval ends the run, with exit status 0. */
function refusal({ id, name, detail, words = '' }: Refused): readonly CoderEvent[] {
  if (words.startsWith('The user has specified a rule which prevents')) {
    return [{ type: 'denied', tool: name, id, text: 'a rule forbids it' }]
  }
  if (!words.startsWith('The user rejected permission')) return []
  const call = detail === undefined ? name : `${name}: ${detail}`
  const text = `stopped where nobody could give permission: ${call}`
  return [
    { type: 'denied', tool: name, id, text: 'nobody could give permission' },
    { type: 'result', ok: false, text, trouble: { code: 'denied', text } },
  ]
}

function finished(part: Fields): readonly CoderEvent[] {
  const reason = word(part['reason'])
  return [...usage(part), ...(reason === undefined ? [] : ending(reason))]
}

/** Counts this step alone. Output and reasoning are separate counts; both are paid as output. */
function usage(part: Fields): readonly CoderEvent[] {
  const message = word(part['id'])
  const tokens = fields(part['tokens'])
  if (message === undefined || tokens === undefined) return []
  const cache = fields(tokens['cache'])
  const reasoning = count(tokens['reasoning'])
  const output = count(tokens['output'])
  const used: Usage = known({
    input: count(tokens['input']),
    output: output === undefined ? undefined : output + (reasoning ?? 0),
    cacheRead: count(cache?.['read']),
    cacheWrite: count(cache?.['write']),
    reasoning,
  })
  const costUsd = count(part['cost'])
  return [
    { type: 'usage', message, usage: used },
    { type: 'total', covers: 'since-last', usage: used, ...known({ costUsd }) },
  ]
}

/** After these it asks the model again. */
const GOES_ON = new Set(['tool-calls', 'unknown'])
const WELL = new Set(['stop', 'other'])

function ending(reason: string): readonly CoderEvent[] {
  if (GOES_ON.has(reason)) return []
  if (WELL.has(reason)) return [{ type: 'result', ok: true }]
  const text = reason === 'length' ? 'its last answer was cut off: too long' : `its last answer ended in ${reason}`
  return [{ type: 'result', ok: false, text, trouble: { code: 'error', text } }]
}
