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
  const { type, ...fields } = event
  const line: Record<string, unknown> = {
    v: 1,
    ts: where.ts,
    attempt: where.attempt,
    run: where.run,
    at: where.at,
    kind: type,
  }
  const names: Readonly<Record<string, string>> = NAMES[type] ?? {}
  for (const [name, value] of Object.entries(fields)) line[names[name] ?? name] = shown(value, redact)
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
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each, redact)]))
}

function cut(text: string): string {
  return text.length <= TEXT ? text : `${text.slice(0, TEXT)}… (${text.length} characters)`
}
