import { lineRedaction } from '../../domain/text/redact.ts'
import { follow, openReading, type Reading } from '../../platform/files/follow.ts'
import { isOutputGone, writeBytes } from '../../platform/terminal/output.ts'
import { type Terminal, terminal } from '../../platform/terminal/terminal.ts'
import { redaction } from '../../views/redaction.ts'
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

/** Rendered on a terminal, without secrets; the bytes themselves for a program, unless lines are filtered. */
async function sinkFor(call: Pick<Call, 'env' | 'home' | 'print' | 'show'>, showing: Showing): Promise<Sink> {
  const { journal, lines, only } = showing
  const screen = terminal(call.env)
  if (screen === undefined && only === undefined) return { feed: writeBytes, end: () => {} }
  const redact = lineRedaction(await redaction(call.home, call.env))
  return linesInto((raw) => {
    if (only?.(raw) === false) return
    if (screen === undefined) return writeBytes(Buffer.from(`${raw}\n`))
    const line = redact(raw)
    if (lines !== undefined) call.show(painted(lines(line, screen), screen))
    else if (journal) call.show(painted([journalLine(line, Date.now())], screen))
    else call.print(line)
  })
}

/** undefined: the file does not exist. */
export async function showFile(call: Call, path: string, showing: Showing): Promise<true | undefined> {
  using file = openReading(path)
  if (file === undefined) return undefined
  const sink = await sinkFor(call, showing)
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
  const sink = await sinkFor(call, showing)
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
