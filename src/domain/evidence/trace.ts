import type { CoderEvent, ToolKind } from '../run/event.ts'
import { type Span, withSpan } from './span.ts'
import { newVisits, type Visits, visitEvent, visitLook } from './visits.ts'

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
  /** A call was open at some moment since the last look. */
  worked: boolean
  /** A call was told only when it had ended. */
  toldLate: boolean
  /** The turn is over: the agent calls no tool until the next one. */
  isOver: boolean
  open: readonly Span[]
  /** The processes that its tools may have left behind, and go on working without an open tool. */
  readonly leftBehind: LeftBehind
  readonly visits: Visits
  /** The moment of the last look that read all there was, and of the last one with output. `monotonic`: of this supervisor. */
  lookedAt: Moment
  lastOutputAt: number
}

interface LeftBehind {
  /** A call that may leave processes behind has worked since the last look. */
  isNew: boolean
  /** Only a look at its processes can tell whether there are any. */
  isUnknown: boolean
  /** When the first such call began, of the monotonic clock; undefined: none did. */
  since: number | undefined
  /** When they were first and last seen, of which the call itself is the first time; undefined: nothing is left. */
  foundAt: number | undefined
  seenAt: Moment | undefined
  spans: readonly Span[]
}

interface Moment {
  readonly wall: number
  readonly monotonic: number | undefined
}

/** The part that the ledger keeps, for the next supervisor and for the judgement of other runs. */
export interface KeptTrace {
  /** The top of the tree it works in; absent: its cwd. */
  readonly root?: string
  /** Two numbers for each span. */
  readonly open: readonly number[]
  /** The same, while processes that its tools had left behind were alive; absent: there were none. */
  readonly left?: readonly number[]
  /** The time in which a tool may have been open that its coder tells of later; absent: none. */
  readonly unsure?: readonly number[]
  /** The same, while a command was open that names the checkout it is to leave alone; absent: there was none. */
  readonly visits?: readonly number[]
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
    toldLate: false,
    isOver: false,
    open: spansFrom(kept?.open ?? []),
    leftBehind: {
      isNew: false,
      isUnknown: false,
      since: undefined,
      foundAt: undefined,
      seenAt: undefined,
      spans: spansFrom(kept?.left ?? []),
    },
    visits: newVisits(spansFrom(kept?.visits ?? [])),
    lookedAt: { wall: at, monotonic: undefined },
    lastOutputAt: at,
  }
}

/** `isOld`: an earlier supervisor has read it, and kept when. */
export function traceEvent(trace: Trace, event: CoderEvent, isOld: boolean): void {
  if (event.type === 'result') trace.isOver = true
  else if (TURN.has(event.type)) trace.isOver = false
  visitEvent(trace.visits, event, isOld)
  switch (event.type) {
    case 'tool-started': {
      if (event.toFleet === true || event.kind === 'read') return
      if (trace.calls.size < MOST_CALLS) trace.calls.set(event.id, event.paths ?? [])
      if (LEAVES_PROCESSES.has(event.kind)) noteCall(trace, isOld)
      if (!isOld) trace.worked = true
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

/** Only in a turn. */
const TURN: ReadonlySet<CoderEvent['type']> = new Set(['session', 'text', 'tool-started', 'tool-ended'])

const LEAVES_PROCESSES: ReadonlySet<ToolKind> = new Set(['shell', 'agent'])

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
    for (const span of spansOf(trace, look, isOpen)) trace.open = withSpan(trace.open, span)
    trace.worked = false
  }
  visitLook(trace.visits, (isOpen) => spansOf(trace, look, isOpen))
  trace.toldLate = false
  if (look.more) return
  traceTail(trace, look)
  if (look.hasOutput) trace.lastOutputAt = trace.lookedAt.wall
  trace.lookedAt = { wall: look.wall, monotonic: look.monotonic }
}

function noteCall({ leftBehind, lookedAt }: Trace, isOld: boolean): void {
  if (!isOld) {
    leftBehind.isNew = true
    return
  }
  // An earlier supervisor saw it: what lives now may have been there since.
  leftBehind.isUnknown = true
  leftBehind.since = Number.NEGATIVE_INFINITY
  leftBehind.seenAt = lookedAt
}

/** Processes that a call left behind may have ended before the look at the processes that follows. */
function traceTail({ leftBehind, lookedAt }: Trace, { wall, monotonic, writtenAt }: Look): void {
  if (!leftBehind.isNew) return
  leftBehind.isNew = false
  leftBehind.isUnknown = true
  leftBehind.since ??= lookedAt.monotonic
  leftBehind.foundAt = undefined
  const to = Math.min(wall, (writtenAt() ?? wall) + TAIL_MS)
  leftBehind.seenAt = to === wall ? { wall, monotonic } : { wall: to, monotonic: undefined }
  for (const span of between(lookedAt, { wall, monotonic }, { from: lookedAt.wall, to }))
    leftBehind.spans = withSpan(leftBehind.spans, span)
}

/** Two looks, of a supervisor that was not held up. */
const TAIL_MS = 1000

/**
 * Whether a look at the processes is due. While a tool is open, they tell nothing more; a server that runs for hours is looked
 * at less and less often.
 */
export function wantsProcesses({ calls, background, leftBehind }: Trace, monotonic: number): boolean {
  const { isUnknown, foundAt = monotonic, seenAt } = leftBehind
  if (!isUnknown || calls.size > 0 || background > 0) return false
  const pause = Math.min(LONGEST_PAUSE_MS, (monotonic - foundAt) / 10)
  return seenAt?.monotonic === undefined || monotonic - seenAt.monotonic >= pause
}

const LONGEST_PAUSE_MS = 5000

/** After a look at its processes. `youngestMs`: the age of the youngest that was left behind; undefined: there is none. */
export function traceProcesses(
  { leftBehind }: Trace,
  now: Moment & { readonly monotonic: number },
  youngestMs: number | undefined,
): void {
  const { since = Number.NEGATIVE_INFINITY, seenAt = now } = leftBehind
  // Some coders leave servers of their own behind when they start.
  const isLeft = youngestMs !== undefined && now.monotonic - youngestMs >= since - START_MS
  leftBehind.isUnknown = isLeft
  leftBehind.foundAt = isLeft ? (leftBehind.foundAt ?? now.monotonic) : undefined
  leftBehind.seenAt = isLeft ? now : undefined
  // It ended at some moment between the looks. If fleet was held up, it is unknown whether there was one.
  if (!isLeft && seenAt.monotonic === undefined) return
  for (const span of between(seenAt, now)) leftBehind.spans = withSpan(leftBehind.spans, span)
}

/** Nothing of the run is left. What was alive at the last look may have worked until then. */
export function traceGone(trace: Trace, now: Moment & { readonly monotonic: number }): void {
  if (trace.leftBehind.isUnknown) traceProcesses(trace, now, undefined)
}

/** Some machines tell the start of a process in seconds. */
const START_MS = 2000

/** The time since the last look. */
function spansOf({ lookedAt, lastOutputAt, toldLate }: Trace, look: Look, isOpen: boolean): readonly Span[] {
  const writtenAt = isOpen ? undefined : look.writtenAt()
  const from = toldLate ? Math.min(lastOutputAt, lookedAt.wall) : lookedAt.wall
  return between(lookedAt, look, { from, to: Math.min(look.wall, writtenAt ?? look.wall) })
}

/** From one look to another. If the clock was set meanwhile, the time is told in both of its countings. */
function between(
  before: Moment,
  now: Moment,
  { from, to }: Span = { from: before.wall, to: now.wall },
): readonly Span[] {
  if (before.monotonic === undefined || now.monotonic === undefined) return [ordered(from, to)]
  const passed = now.monotonic - before.monotonic
  const jump = now.wall - before.wall - passed
  if (Math.abs(jump) < JUMP_MS) return [ordered(from, to)]
  return [ordered(from, before.wall + passed), ordered(now.wall - passed, now.wall)]
}

/** Two clocks are read one after the other. */
const JUMP_MS = 200

function ordered(one: number, other: number): Span {
  return { from: Math.min(one, other), to: Math.max(one, other) }
}

/** `toldLate`: its coder tells all calls only when they have ended. */
export function keptTrace(trace: Trace, { toldLate = false } = {}): KeptTrace {
  const { root, open, leftBehind, visits, lookedAt, lastOutputAt, isOver } = trace
  const isUnsure = toldLate && !isOver
  return {
    ...(root === undefined ? {} : { root }),
    open: numbersOf(open),
    ...(leftBehind.spans.length === 0 ? {} : { left: numbersOf(leftBehind.spans) }),
    ...(isUnsure && { unsure: numbersOf([ordered(lastOutputAt, lookedAt.wall)]) }),
    ...(visits.spans.length > 0 && { visits: numbersOf(visits.spans) }),
    at: Math.floor(lookedAt.wall),
  }
}

function numbersOf(spans: readonly Span[]): readonly number[] {
  return spans.flatMap(({ from, to }) => [Math.floor(from), Math.ceil(to)])
}

export function spansFrom(numbers: readonly number[]): readonly Span[] {
  const spans: Span[] = []
  for (let i = 0; i + 1 < numbers.length; i += 2)
    spans.push({ from: numbers[i] as number, to: numbers[i + 1] as number })
  return spans
}
