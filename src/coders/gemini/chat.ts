import type { CoderEvent } from '../../domain/run/event.ts'
import { bounded } from '../../domain/text/bounded.ts'
import type { SidecarRun } from '../../ports/coder.ts'
import { count, type Fields, fields, known, parsed, string, word } from '../shared/fields.ts'

/**
 * Reads the file in which gemini keeps a session: a line for each message, written again when the message grows. It reports
 * the usage of each request as soon as the answer arrives; stdout reports usage only at the end.
 */
export function chatReader({ session, startedAt }: SidecarRun): (line: string) => readonly CoderEvent[] {
  let isForeign = false
  return (line) => {
    if (line === '' || isForeign || OF_NO_CONSEQUENCE.test(line)) return []
    const told = parsed(line)
    if (told === undefined) return [{ type: 'unknown', raw: bounded(line, RAW) }]
    // The file name has only the beginning of the id.
    isForeign = told['type'] === undefined && (told['sessionId'] ?? session) !== session
    return isAnswer(told) && Date.parse(string(told['timestamp']) ?? '') >= startedAt ? usage(told) : []
  }
}

const RAW = 500

/** Most lines need no parsing: changes to the session as a whole, and prompts. */
const OF_NO_CONSEQUENCE = /^\{"(?:\$|id":"[^"]*","timestamp":"[^"]*","type":"(?!gemini"))/

function isAnswer(told: Fields): boolean {
  return told['type'] === 'gemini'
}

/** The model is the requested one; stdout reports at the end which model answered. */
function usage(told: Fields): readonly CoderEvent[] {
  const message = word(told['id'])
  const tokens = fields(told['tokens'])
  if (message === undefined || tokens === undefined) return []
  const prompt = count(tokens['input'])
  const answer = count(tokens['output'])
  const cacheRead = count(tokens['cached'])
  const reasoning = count(tokens['thoughts'])
  const used = known({
    input: prompt === undefined ? undefined : Math.max(0, prompt - (cacheRead ?? 0)),
    output: answer === undefined ? undefined : answer + (reasoning ?? 0),
    cacheRead,
    reasoning,
  })
  return [{ type: 'usage', message, usage: used, aside: true }]
}
