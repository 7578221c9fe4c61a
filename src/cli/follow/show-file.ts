import { follow, openReading, type Reading } from '../../platform/files/follow.ts'
import { isOutputGone, writeBytes } from '../../platform/terminal/output.ts'
import { type Terminal, terminal } from '../../platform/terminal/terminal.ts'
import type { Call } from '../command.ts'
import { journalLine } from '../render/journal.ts'
import { type Line, painted } from '../render/painted.ts'
import { linesInto } from './lines.ts'

export interface Showing {
  /** Each line is a JSON document, rendered for people on a terminal. */
  readonly journal: boolean
  /** Another rendering of a line of a journal; none: the line is left out. */
  readonly lines?: (line: string, screen: Terminal) => readonly Line[]
  /** Only this many lines, the last ones. */
  readonly last?: number
  /** Of a journal, only these lines. */
  readonly only?: (line: string) => boolean
}

interface Sink {
  feed(bytes: Uint8Array): void
  end(): void
}

/** Rendered on a terminal; the bytes themselves for a program, unless lines are filtered. */
function sinkFor(call: Pick<Call, 'env' | 'print' | 'show'>, { journal, lines, only }: Showing): Sink {
  const screen = terminal(call.env)
  if (screen === undefined && only === undefined) return { feed: writeBytes, end: () => {} }
  return linesInto((line) => {
    if (only?.(line) === false) return
    if (screen === undefined) writeBytes(Buffer.from(`${line}\n`))
    else if (lines !== undefined) call.show(painted(lines(line, screen), screen))
    else if (journal) call.show(painted([journalLine(line, Date.now())], screen))
    else call.print(line)
  })
}

/** undefined: the file does not exist. */
export function showFile(call: Call, path: string, showing: Showing): true | undefined {
  using file = openReading(path)
  if (file === undefined) return undefined
  const sink = sinkFor(call, showing)
  if (showing.last !== undefined) file.skipToLast(showing.last)
  file.drain((bytes) => sink.feed(bytes))
  sink.end()
  return true
}

/** Prints the file and keeps printing new lines, also of the files after it, until a signal or the reader ends it. */
export async function followFile(
  call: Call,
  newest: () => string | undefined,
  showing: Showing & { opened?: (file: Reading) => void },
): Promise<void> {
  const sink = sinkFor(call, showing)
  await follow({
    newest,
    take: (bytes) => sink.feed(bytes),
    opened: (file, first) => {
      if (first && showing.last !== undefined) file.skipToLast(showing.last)
      if (!first) showing.opened?.(file)
    },
    ended: isOutputGone,
  })
}
