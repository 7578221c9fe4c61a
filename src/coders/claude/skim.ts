import type { Fields } from '../shared/fields.ts'

/**
 * The few fields that count of the two lines a stream mostly consists of, without parsing all of it. Only for lines that
 * begin and end exactly as claude writes them; undefined for any other, which wants JSON.parse.
 *
 * Inside a JSON string every quote has a backslash before it, so a marker with bare quotes is always structure; and a
 * piece cut at a marker that stood deeper than expected is not JSON.
 */
export function skim(line: string): Fields | undefined {
  if (!line.endsWith('}')) return undefined
  if (line.startsWith(ANSWER)) return toolAnswer(line)
  return line.startsWith(MESSAGE) ? message(line) : undefined
}

const ANSWER = '{"type":"user","message":{"role":"user","content":[{"tool_use_id":"'
const ANSWER_TEXT = '","type":"tool_result","content":"'
const ANSWER_END = '}]},"parent_tool_use_id":'
const WENT_WELL = `,"is_error":false${ANSWER_END}`

/** The answer of a tool that went well: its text, most of the stream by weight, is skipped unread. */
function toolAnswer(line: string): Fields | undefined {
  const textStart = afterWord(line, ANSWER.length, ANSWER_TEXT)
  if (textStart === -1) return undefined
  const end = stringEnd(line, textStart) + 1
  if (end === 0 || !(line.startsWith(WENT_WELL, end) || line.startsWith(ANSWER_END, end))) return undefined
  const id = line.slice(ANSWER.length, textStart - ANSWER_TEXT.length)
  return { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id }] } }
}

const MESSAGE = '{"type":"assistant","message":{"id":"'
const MODEL = '","type":"message","role":"assistant","model":"'
const CONTENT = '","content":'
const USAGE = ',"stop_reason":null,"stop_sequence":null,"usage":'
const MESSAGE_END = ',"context_management":null},"parent_tool_use_id":null,"session_id":"'

/** A message of the session itself, not a sub-agent's and not an error. */
function message(line: string): Fields | undefined {
  const modelStart = afterWord(line, MESSAGE.length, MODEL)
  if (modelStart === -1) return undefined
  const contentStart = afterWord(line, modelStart, CONTENT)
  if (contentStart === -1) return undefined
  const contentEnd = line.indexOf(USAGE, contentStart)
  if (contentEnd === -1) return undefined
  const usageEnd = line.indexOf(MESSAGE_END, contentEnd)
  if (usageEnd === -1 || line.includes('"error"', usageEnd)) return undefined
  try {
    return {
      type: 'assistant',
      message: {
        id: copied(line, MESSAGE.length, modelStart - MODEL.length),
        model: copied(line, modelStart, contentStart - CONTENT.length),
        content: JSON.parse(line.slice(contentStart, contentEnd)),
        usage: usageIn(line.slice(contentEnd + USAGE.length, usageEnd)),
      },
    }
  } catch {
    return undefined
  }
}

/** A message is told block by block, with the same record of what it used in each line. */
function usageIn(text: string): unknown {
  if (text !== last.text) last = { text, usage: JSON.parse(text) }
  return last.usage
}

let last: { text: string; usage: unknown } = { text: '{}', usage: {} }

/** Where what follows a plain word begins; -1 if anything but a word and `then` comes. */
function afterWord(line: string, start: number, then: string): number {
  const end = line.indexOf('"', start)
  if (end === -1 || end - start > 100 || !line.startsWith(then, end)) return -1
  for (let at = start; at < end; at++) if (line.charCodeAt(at) === BACKSLASH) return -1
  return end === start ? -1 : end + then.length
}

/** A part of a string keeps the whole of it in memory, and these are kept as long as the run lasts. */
function copied(line: string, start: number, end: number): string {
  return JSON.parse(line.slice(start - 1, end + 1))
}

/** Where the JSON string ends that begins before `start`: the first quote after an even number of backslashes; or -1. */
function stringEnd(line: string, start: number): number {
  for (let at = line.indexOf('"', start); at !== -1; at = line.indexOf('"', at + 1)) {
    let first = at
    while (first > start && line.charCodeAt(first - 1) === BACKSLASH) first--
    if ((at - first) % 2 === 0) return at
  }
  return -1
}

const BACKSLASH = 92
