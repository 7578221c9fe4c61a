import type { CoderEvent } from './event.ts'

/** One line of events.jsonl. `at` is the offset of the source line in stdout, so that no event is written twice after a crash. */
export interface EventLine {
  readonly v: 1
  readonly ts: string
  readonly attempt: number
  readonly run: string
  readonly at: number
  readonly kind: CoderEvent['type']
  readonly [field: string]: unknown
}

/** Longer texts are cut; the attempt's stdout has them in full. */
const TEXT = 2000

export function eventLine(event: CoderEvent, where: Where, redact: (text: string) => string): EventLine {
  const { ts, attempt, run, at } = where
  const line: Record<string, unknown> = { v: 1, ts, attempt, run, at, kind: event.type }
  const names = NAMES[event.type]
  // for...in avoids copies, here and below: this code runs for every event of every agent.
  for (const name in event) {
    if (name !== 'type' && name !== 'command' && name !== 'cwd' && name !== 'print')
      line[names?.[name] ?? name] = shown(event[name as keyof CoderEvent], redact)
  }
  return line as unknown as EventLine
}

/** In place of all further events of an attempt. */
export function leftOutLine({ ts, attempt, run, at }: Where): EventLine {
  const text = 'it told too much: from here on its events are left out of this file, and its stdout.jsonl has them'
  return { v: 1, ts, attempt, run, at, kind: 'notice', name: 'events-left-out', text }
}

interface Where {
  readonly ts: string
  readonly attempt: number
  readonly run: string
  readonly at: number
}

/** Event fields that get another name in the line, where theirs would be unclear or already taken. */
const NAMES: Partial<Record<CoderEvent['type'], Readonly<Record<string, string>>>> = {
  session: { id: 'session' },
  'tool-started': { name: 'tool', kind: 'tool_kind' },
  retrying: { attempt: 'retry' },
}

function shown(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return cut(redact(value))
  if (typeof value !== 'object' || value === null) return value
  const shownFields: Record<string, unknown> = {}
  for (const name in value) shownFields[name] = shown(value[name as keyof typeof value], redact)
  return shownFields
}

function cut(text: string): string {
  return text.length <= TEXT ? text : `${text.slice(0, TEXT)}… (${text.length} characters)`
}
