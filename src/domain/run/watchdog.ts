import { durationText } from '../text/duration.ts'
import type { Outcome } from './outcome.ts'
import type { RunInput, RunState } from './run-machine.ts'

/** The watchdog's inputs. It only asks for a stop: the machine and the evidence decide. */
export interface Vitals {
  /** All times are of one monotonic clock: a jump of the wall clock is not a stall. */
  readonly startedAt: number
  readonly firstEventAt: number | undefined
  /** When bytes last arrived, whatever they were. */
  readonly lastOutputAt: number
  /** When its processes were last seen at work while it printed nothing. */
  readonly atWorkAt: number | undefined
  readonly openTools: number
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
  readonly afterResult: number
  readonly grace: number
  readonly wall: number
  readonly contextPct: number
  readonly outputBytes: number
}

/** The activity of a run's processes at one moment. */
export interface Look {
  readonly at: number
  /** Processor time so far. */
  readonly cpuMs: number
  /** Commands that it runs. CLIs put these into separate sessions, unlike the servers they keep. */
  readonly tools: number
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
    if (!over(vitals.startedAt, limits.firstEvent)) return undefined
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
  if (mayStall(vitals) && over(quietSince(vitals), limits.idle)) {
    return stop('stalled', `silent for ${durationText(limits.idle)} with no tool open`)
  }
  return undefined
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

/** Silence is suspicious only after the first event, with no tool open and no result. */
function mayStall({ isScript, firstEventAt, openTools, resultAt }: Vitals): boolean {
  return !isScript && firstEventAt !== undefined && openTools === 0 && resultAt === undefined
}

function quietSince({ lastOutputAt, atWorkAt = Number.NEGATIVE_INFINITY }: Vitals): number {
  return Math.max(lastOutputAt, atWorkAt)
}

/**
 * Some coders report a tool only when it has ended, so their processes are looked at before a silence is called a stall:
 * half-way to the limit, to know the processor time by then, and at the limit.
 */
export function wantsLook(vitals: Vitals, last: Look | undefined, limits: Limits, now: number): boolean {
  if (!mayStall(vitals)) return false
  const since = quietSince(vitals)
  return now - since > (isOf(last, since) ? limits.idle : limits.idle / 2)
}

/** Share of a processor. CLIs that only waited for their model used up to 2 %. */
const WORKING_SHARE = 0.05

/** Whether the run executes a command, or has used the processor since the last look. */
export function isAtWork(look: Look, last: Look | undefined, vitals: Vitals, limits: Limits): boolean {
  if (look.tools > 0) return true
  const since = quietSince(vitals)
  // Adopted in the middle of a long silence: its activity meanwhile is unknown.
  if (!isOf(last, since)) return look.at - since > limits.idle
  return look.cpuMs - last.cpuMs > (look.at - last.at) * WORKING_SHARE
}

/** Whether the look was made during this silence. */
function isOf(look: Look | undefined, since: number): look is Look {
  return look !== undefined && look.at >= since
}
