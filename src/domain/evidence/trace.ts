import type { CoderEvent } from '../run/event.ts'
import { type Span, withSpan } from './span.ts'

/**
 * The traces of a run's work in its output: when its tools were open, and the paths that they name. A look at the output
 * tells what was printed since the look before, not when; so a span reaches from one look to the next.
 */
export interface Trace {
  /** The top of the tree it works in; undefined: not known yet. */
  root: string | undefined
  /** The paths that its tools have written, in their words. A call that failed wrote nothing, or nobody knows what. */
  readonly named: Set<string>
  /** The calls that can change something and have no answer yet, with the paths that they write. */
  readonly calls: Map<string, readonly string[]>
  background: number
  /** Such a call was open at some moment since the last look. */
  worked: boolean
  /** A call that may leave processes behind has begun since the last look. */
  mayGoOn: boolean
  /** A call was told only when it had ended. */
  toldLate: boolean
  open: readonly Span[]
  /** From when on it may change something without an open tool: a process that a tool started may go on. */
  unseenFrom: number | undefined
  /** The moment of the last look that read all there was, and of the last one with output. `monotonic`: of this supervisor. */
  lookedAt: Moment
  lastOutputAt: number
}

interface Moment {
  readonly wall: number
  readonly monotonic: number | undefined
}

/** What the ledger keeps of it, for the next supervisor and for the judgement of other runs. */
export interface KeptTrace {
  /** The top of the tree it works in; absent: its cwd. */
  readonly root?: string
  /** Two numbers for each span. */
  readonly open: readonly number[]
  readonly unseenFrom?: number
  /** Of the last look. */
  readonly at: number
}

const MOST_NAMED = 1000
const MOST_CALLS = 1000

export function newTrace(startedAt: number, kept?: KeptTrace, named: readonly string[] = []): Trace {
  const at = kept?.at ?? startedAt
  return {
    root: kept?.root,
    named: new Set(named),
    calls: new Map(),
    background: 0,
    worked: false,
    mayGoOn: false,
    toldLate: false,
    open: spansFrom(kept?.open ?? []),
    unseenFrom: kept?.unseenFrom,
    lookedAt: { wall: at, monotonic: undefined },
    lastOutputAt: at,
  }
}

/** `isOld`: an earlier supervisor has read it, and kept when. */
export function traceEvent(trace: Trace, event: CoderEvent, isOld: boolean): void {
  switch (event.type) {
    case 'tool-started': {
      if (event.toFleet === true || event.kind === 'read') return
      if (trace.calls.size < MOST_CALLS) trace.calls.set(event.id, event.paths ?? [])
      if (isOld) return
      trace.worked = true
      // An edit is over when it is answered.
      if (event.kind !== 'edit') trace.mayGoOn = true
      return
    }
    case 'tool-ended':
      if (!event.failed) name(trace, trace.calls.get(event.id) ?? [])
      if (trace.calls.delete(event.id) && !isOld) trace.worked = true
      return
    case 'background':
      if (Math.max(trace.background, event.pending) > 0 && !isOld) trace.worked = true
      trace.background = event.pending
      return
    case 'result':
      // The turn is over: open calls will never be answered.
      if (trace.calls.size > 0 && !isOld) trace.worked = true
      trace.calls.clear()
      return
    default:
  }
}

function name({ named }: Trace, paths: readonly string[]): void {
  for (const path of paths) if (named.size < MOST_NAMED) named.add(path)
}

interface Look {
  readonly wall: number
  readonly monotonic: number
  /** When the last of the output was written; undefined: unknown. */
  readonly writtenAt: () => number | undefined
  readonly hasOutput: boolean
  /** There is more to read. */
  readonly more: boolean
}

/** Whether a line tells of a call that has ended already: it began after the output before it. */
export function isToldLate(events: readonly CoderEvent[]): boolean {
  return events.some((event) => event.type === 'tool-started' && events.some((end) => isEndOf(end, event.id)))
}

function isEndOf(event: CoderEvent, id: string): boolean {
  return event.type === 'tool-ended' && event.id === id
}

/** After each look at the output. */
export function traceLook(trace: Trace, look: Look): void {
  const isOpen = trace.calls.size > 0 || trace.background > 0
  if (trace.worked || isOpen) {
    for (const span of spansOf(trace, look, isOpen)) {
      if (trace.mayGoOn) trace.unseenFrom = Math.min(trace.unseenFrom ?? span.from, span.from)
      trace.open = withSpan(trace.open, span)
    }
    trace.worked = false
    trace.mayGoOn = false
  }
  trace.toldLate = false
  if (look.more) return
  if (look.hasOutput) trace.lastOutputAt = trace.lookedAt.wall
  trace.lookedAt = { wall: look.wall, monotonic: look.monotonic }
}

/** The time since the last look. If the clock was set meanwhile, it is told in both of its countings. */
function spansOf({ lookedAt, lastOutputAt, toldLate }: Trace, look: Look, isOpen: boolean): readonly Span[] {
  const writtenAt = isOpen ? undefined : look.writtenAt()
  const end = Math.min(look.wall, writtenAt ?? look.wall)
  const from = toldLate ? Math.min(lastOutputAt, lookedAt.wall) : lookedAt.wall
  if (lookedAt.monotonic === undefined) return [ordered(from, end)]
  const passed = look.monotonic - lookedAt.monotonic
  const jump = look.wall - lookedAt.wall - passed
  if (Math.abs(jump) < JUMP_MS) return [ordered(from, end)]
  return [ordered(from, lookedAt.wall + passed), ordered(look.wall - passed, look.wall)]
}

/** Two clocks are read one after the other. */
const JUMP_MS = 200

function ordered(one: number, other: number): Span {
  return { from: Math.min(one, other), to: Math.max(one, other) }
}

export function keptTrace({ root, open, unseenFrom, lookedAt }: Trace): KeptTrace {
  return {
    ...(root === undefined ? {} : { root }),
    open: open.flatMap(({ from, to }) => [Math.floor(from), Math.ceil(to)]),
    ...(unseenFrom === undefined ? {} : { unseenFrom: Math.floor(unseenFrom) }),
    at: Math.floor(lookedAt.wall),
  }
}

export function spansFrom(numbers: readonly number[]): readonly Span[] {
  const spans: Span[] = []
  for (let i = 0; i + 1 < numbers.length; i += 2)
    spans.push({ from: numbers[i] as number, to: numbers[i + 1] as number })
  return spans
}
