import type { CoderEvent } from './event.ts'

/** One line of events.jsonl. `at` is the offset of the source line in stdout, so that a crash repeats none. */
export interface EventLine {
  readonly v: 1
  readonly ts: string
  readonly attempt: number
  readonly run: string
  readonly at: number
  readonly kind: CoderEvent['type']
  readonly [field: string]: unknown
}

/** Longer texts are cut: the whole of it stands in the attempt's stdout. */
const TEXT = 2000

export function eventLine(
  event: CoderEvent,
  where: { ts: string; attempt: number; run: string; at: number },
  redact: (text: string) => string,
): EventLine {
  const { ts, attempt, run, at } = where
  const line: Record<string, unknown> = { v: 1, ts, attempt, run, at, kind: event.type }
  const names = NAMES[event.type]
  // Loops that copy nothing, here and below: they run for every event of every agent.
  for (const name in event) {
    if (name !== 'type') line[names?.[name] ?? name] = shown(event[name as keyof CoderEvent], redact)
  }
  return line as unknown as EventLine
}

/** Beside the other fields of a line some names would say too little, or something else. */
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
