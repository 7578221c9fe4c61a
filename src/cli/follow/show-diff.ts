import { plainLine } from '../../domain/text/plain.ts'
import { writeBytes } from '../../platform/terminal/output.ts'
import { terminal } from '../../platform/terminal/terminal.ts'
import { readDiff } from '../../views/diff.ts'
import type { Call } from '../command.ts'
import { type Line, painted, type Style } from '../render/painted.ts'
import { linesInto } from './lines.ts'

/** The most new files that are named. */
const NAMED = 20

/** Prints the diff since before an attempt, coloured on a terminal, and names new files that git does not track. */
export async function showDiff(call: Call, attemptFolder: string): Promise<void> {
  const screen = terminal(call.env)
  const sink =
    screen === undefined
      ? { feed: writeBytes, end: () => {} }
      : linesInto((line) => call.show(painted([diffLine(line)], screen)))
  const { newFiles } = await readDiff(attemptFolder, { env: call.env, take: (bytes) => sink.feed(bytes) })
  sink.end()
  if (newFiles.length === 0) return
  const more = newFiles.length > NAMED ? ` and ${newFiles.length - NAMED} more` : ''
  call.warn(`new files, not in the diff: ${newFiles.slice(0, NAMED).map(plainLine).join(', ')}${more}`)
}

function diffLine(line: string): Line {
  const style = STYLES[line[0] ?? '']
  return [style === undefined ? { text: line } : { text: line, style }]
}

const STYLES: Readonly<Record<string, Style>> = { '+': 'green', '-': 'red', '@': 'dim' }
