import { durationText } from '../text/duration.ts'
import { cpuShare, isSeen, type Looks, WORKING_SHARE } from './diagnosis/look.ts'
import type { ToolKind } from './event.ts'
import type { Outcome } from './outcome.ts'
import type { RunInput, RunState } from './run-machine.ts'

/** The watchdog's inputs. It only asks for a stop: the machine and the evidence decide. */
export interface Vitals {
  /** All times are of one monotonic clock: a jump of the wall clock is not a stall. */
  readonly startedAt: number
  readonly firstEventAt: number | undefined
  /** When bytes last arrived, whatever they were. */
  readonly lastOutputAt: number
  /** When its processes or its transcripts last showed work while it printed nothing. */
  readonly atWorkAt: number | undefined
  /** The kinds of the calls that are open. */
  readonly openTools: readonly ToolKind[]
  /** It runs a command of which its output tells nothing yet. */
  readonly runsCommand: boolean
  /** When the last result came, or output after it, if no turn began since. */
  readonly resultAt: number | undefined
  readonly pendingBackground: number
  /** When it asked a person: agents are told to stop after that. */
  readonly askedAt: number | undefined
  /** Size of the last prompt, in percent of the model's window; undefined: unknown. */
  readonly contextPct: number | undefined
  /** A script is one open tool from its start to its end: only the wall clock bounds it. */
  readonly isScript: boolean
  readonly outputBytes: number
}

export interface Limits {
  readonly firstEvent: number
  readonly idle: number
  readonly tool: number
  readonly toolMcp: number
  readonly toolAgent: number
  readonly afterResult: number
  readonly grace: number
  readonly wall: number
  readonly contextPct: number
  readonly outputBytes: number
  /** Of all processes of a run together. */
  readonly memory: number
}

/** While background work is pending, a result is not the end. */
const BACKGROUND = 10 * 60_000

export function watch(state: RunState, vitals: Vitals, limits: Limits, now: number): RunInput | undefined {
  switch (state.phase) {
    case 'running':
      return watchRunning(vitals, limits, now)
    case 'stopping':
    case 'leaving':
      return !state.forced && now - state.since > limits.grace ? { kind: 'grace-over' } : undefined
    default:
      return undefined
  }
}

function watchRunning(vitals: Vitals, limits: Limits, now: number): RunInput | undefined {
  const stop = (code: Outcome['code'], text: string): RunInput => ({ kind: 'stop', want: { code, text } })
  const over = (since: number | undefined, limit: number) => since !== undefined && now - since > limit
  if (over(vitals.startedAt, limits.wall)) return stop('wall-clock', `ran for more than ${durationText(limits.wall)}`)
  const tooMuch = printedTooMuch(vitals.outputBytes, limits)
  if (tooMuch !== undefined) return { kind: 'stop', want: tooMuch }
  if (over(vitals.askedAt, limits.afterResult)) return { kind: 'stop' }
  if (vitals.isScript) return undefined
  if (vitals.firstEventAt === undefined) {
    if (!over(quietSince(vitals), limits.firstEvent)) return undefined
    return stop('stalled', `said nothing in its first ${durationText(limits.firstEvent)}`)
  }
  // An agent that has told its result is about to end by itself, its work done.
  if (vitals.resultAt === undefined && isNearlyFull(vitals.contextPct, limits.contextPct)) {
    return stop('context-full', `its context was ${Math.round(vitals.contextPct ?? 0)} % full`)
  }
  // It has told its result and does not exit: the evidence decides, not the delay.
  if (
    over(vitals.resultAt, vitals.pendingBackground > 0 ? Math.max(BACKGROUND, limits.afterResult) : limits.afterResult)
  ) {
    return { kind: 'stop' }
  }
  if (mayStall(vitals) && over(quietSince(vitals), silenceLimit(vitals, limits))) {
    return stop('stalled', `silent for ${durationText(silenceLimit(vitals, limits))} ${during(vitals)}`)
  }
  return undefined
}

function during({ openTools, runsCommand }: Vitals): string {
  if (openTools.length === 0) return runsCommand ? 'while it ran a command' : 'with no tool open'
  return openTools.length === 1 ? 'with a tool open' : `with ${openTools.length} tools open`
}

/** undefined: it did not. */
export function printedTooMuch(bytes: number, { outputBytes }: Pick<Limits, 'outputBytes'>): Outcome | undefined {
  return bytes <= outputBytes
    ? undefined
    : { code: 'error', text: `printed more than ${Math.round(outputBytes / 1e6)} MB` }
}

/** A prompt larger than the window was accepted, so the window is larger than fleet believes: no reason to stop. */
function isNearlyFull(pct: number | undefined, most: number): boolean {
  return pct !== undefined && pct > most && pct <= 100
}

/** A script may be silent, and after a result another timer runs. */
function mayStall({ isScript, resultAt, askedAt }: Vitals): boolean {
  return !isScript && resultAt === undefined && askedAt === undefined
}

/** How long its silence may be: the longest that one of its open calls may take. */
export function silenceLimit({ firstEventAt, openTools, runsCommand }: Vitals, limits: Limits): number {
  if (firstEventAt === undefined) return limits.firstEvent
  if (openTools.length > 0) return Math.max(...openTools.map((kind) => longestCall(kind, limits)))
  return runsCommand ? Math.max(limits.idle, limits.tool) : limits.idle
}

function longestCall(kind: ToolKind, limits: Limits): number {
  return kind === 'mcp' ? limits.toolMcp : kind === 'agent' ? limits.toolAgent : limits.tool
}

/** Since when nothing shows that it works. */
export function quietSince({ startedAt, firstEventAt, lastOutputAt, atWorkAt }: Vitals): number {
  const output = firstEventAt === undefined ? startedAt : lastOutputAt
  return Math.max(output, atWorkAt ?? Number.NEGATIVE_INFINITY)
}

/**
 * Its processes are looked at before a silence is called a stall: from half-way to the limit on, so that their use of the
 * processor is known at the limit, and once more at the limit.
 */
export function wantsLook(vitals: Vitals, looks: Looks | undefined, limits: Limits, now: number): boolean {
  if (!mayStall(vitals)) return false
  const limit = silenceLimit(vitals, limits)
  const silentSince = vitals.firstEventAt === undefined ? vitals.startedAt : vitals.lastOutputAt
  if (now - silentSince <= Math.min(limit / 2, LOOK_FROM)) return false
  if (!isOf(looks, silentSince)) return true
  if (now - looks.latest.at >= lookEvery(limit)) return true
  const since = quietSince(vitals)
  return now - since > limit && looks.latest.at - since <= limit
}

/** A person who looks at a silent agent after some minutes shall see why it is silent. */
const LOOK_FROM = 2 * 60_000
const LOOK_AT_MOST_EVERY = 500
const LOOK_AT_LEAST_EVERY = 30_000

function lookEvery(limit: number): number {
  return Math.min(Math.max(limit / 10, LOOK_AT_MOST_EVERY), LOOK_AT_LEAST_EVERY)
}

/** Whether the processes of the run use the processor. `limit`: how long its silence may be. */
export function isAtWork(looks: Looks, vitals: Vitals, { limit, now }: { limit: number; now: number }): boolean {
  // Its output alone condemns nothing.
  if (!isSeen(looks)) return true
  const share = looks.latest.at - looks.base.at < limit / 4 ? undefined : cpuShare(looks)
  // It was adopted in the middle of a long silence, or the process table is slow: its activity meanwhile is unknown.
  if (share === undefined) return now - quietSince(vitals) > limit
  return share > WORKING_SHARE
}

/** Whether the looks were made during this silence. */
export function isOf(looks: Looks | undefined, since: number): looks is Looks {
  return looks !== undefined && looks.base.at >= since
}
