import type { CoderEvent } from '../../domain/run/event.ts'
import { bounded } from '../../domain/text/bounded.ts'
import type { SidecarRun } from '../../ports/coder.ts'
import { count, type Fields, fields, known, parsed, string, word } from '../shared/fields.ts'

/**
 * Reads the file in which gemini keeps a session, a line for each message, told again when it grows. Told from it is what
 * stdout does not tell before the end: what each request used, as soon as it was answered.
 */
export function chatReader({ session, startedAt }: SidecarRun): (line: string) => readonly CoderEvent[] {
  let isForeign = false
  return (line) => {
    if (line === '' || isForeign || OF_NO_CONSEQUENCE.test(line)) return []
    const told = parsed(line)
    if (told === undefined) return [{ type: 'unknown', raw: bounded(line, RAW) }]
    // Its name has only the beginning of the id.
    isForeign = told['type'] === undefined && (told['sessionId'] ?? session) !== session
    return isAnswer(told) && Date.parse(string(told['timestamp']) ?? '') >= startedAt ? usage(told) : []
  }
}

const RAW = 500

/** As gemini writes them, most lines can be left unparsed: changes of the whole, and what it was told. */
const OF_NO_CONSEQUENCE = /^\{"(?:\$|id":"[^"]*","timestamp":"[^"]*","type":"(?!gemini"))/

function isAnswer(told: Fields): boolean {
  return told['type'] === 'gemini'
}

/** The model is the one that was asked; stdout tells at the end which one served it. */
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
