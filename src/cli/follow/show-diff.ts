import { plainLine } from '../../domain/text/plain.ts'
import { lineRedaction, mapStrings } from '../../domain/text/redact.ts'
import { writeBytes } from '../../platform/terminal/output.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import type { DiffPlace } from '../../views/diff/diff-place.ts'
import { readDiff } from '../../views/diff/read-diff.ts'
import { diffJson } from '../../views/json/diff.ts'
import { redaction } from '../../views/redaction.ts'
import type { Call } from '../command.ts'
import { type Line, painted, type Style } from '../render/painted.ts'
import { linesInto } from './lines.ts'

/** The most files that are named. */
const NAMED = 20

/** The diff since before an attempt, coloured on a terminal (`show`); files that it does not contain are named. */
export async function showDiff(call: Call, place: DiffPlace, show: Call['show'] = call.show): Promise<void> {
  if (call.flags.on('json')) return await answerDiff(call, place)
  const screen = terminal(call.env)
  const sink =
    screen === undefined
      ? { feed: writeBytes, end: () => {} }
      : await redactedLines(call, (line) => show(painted([diffLine(line)], screen)))
  const read = await readDiff(place, { env: call.env, take: (bytes) => sink.feed(bytes) })
  const { leftOut, onTop, others, isOfAll } = read
  sink.end()
  if (isOfAll) call.warn('fleet does not know which changes are of this task: those of others may be among these')
  if (onTop.length > 0) call.warn(`changed before this task as well, and the diff has both: ${named(onTop)}`)
  if (leftOut.length > 0) call.warn(`changed by this task, and not in the diff: ${named(leftOut)}`)
  if (others.length > 0) call.warn(`changed here too, but not by this task: ${named(others)}`)
}

function named(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return `${names.slice(0, NAMED).map(plainLine).join(', ')}${more}`
}

async function answerDiff(call: Call, place: DiffPlace): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  const take = (bytes: Uint8Array): void => {
    text += decoder.decode(bytes, { stream: true })
  }
  const read = await readDiff(place, { env: call.env, take })
  call.answer(mapStrings(diffJson(read, text), await redaction(call.home, call.env)))
}

async function redactedLines(call: Call, take: (line: string) => void) {
  const redact = lineRedaction(await redaction(call.home, call.env))
  return linesInto((line) => take(redact(line)))
}

function diffLine(line: string): Line {
  const style = STYLES[line[0] ?? '']
  return [style === undefined ? { text: line } : { text: line, style }]
}

const STYLES: Readonly<Record<string, Style>> = { '+': 'green', '-': 'red', '@': 'dim' }
