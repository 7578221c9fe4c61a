import { troubledMs } from '../fleet/lane.ts'
import type { RefusedModel } from '../fleet/refused-model.ts'
import { NEEDS_LANDING } from '../landing/landing.ts'
import { NEEDS_APPROVAL } from '../scope/approval.ts'
import type { NextStep } from '../task/next-step.ts'
import { BOUNCES, HAND_OVERS, INTERRUPTS, type Outcome, type OutcomeCode, RULES, type Rule, STALLS } from './outcome.ts'
import { mistrustedDelayMs, trustedReset } from './reset.ts'
import { type Lane, NOT_WAITING, type TaskState, type WaitKind } from './run.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The effect of an ended run on its task and its lane. */
export interface After {
  readonly state: TaskState
  /** undefined if the task is no longer ours. */
  readonly next: NextStep | undefined
  readonly lane?: Omit<Lane, 'name'>
  /** The lane does not accept the model of the run. */
  readonly refusedModel?: Omit<RefusedModel, 'lane' | 'model'>
}

export interface RetryContext {
  readonly maxAttempts: number
  readonly now: number
  /** A random number from 0 to 1. */
  readonly jitter: number
  /** The session that the run left. */
  readonly session: string | null | undefined
  /** Its lane before the run ended. */
  readonly lane: Lane | undefined
}

/** Applies the table RULES. Total: every outcome has a decision. */
export function afterRun(state: TaskState, outcome: Outcome, more: RetryContext): After {
  const rule: Rule = RULES[outcome.code]
  const first = state.stalls === 0
  const resumes = outcome.fresh !== true && (rule.resume === 'yes' || (rule.resume === 'first-time' && first))
  const ended: TaskState = {
    ...state,
    session: resumes ? (more.session ?? state.session) : null,
    stalls: stallsInARow(state, outcome),
    ...NOT_WAITING,
    waitedMs: 0,
    // An attempt without an agent tells the next one nothing, and must not hide why the last one ended.
    lastOutcome: outcome.code === 'never-started' ? state.lastOutcome : outcome,
  }
  switch (rule.fate) {
    case 'close':
      return { state: ended, next: { to: 'closed', reason: outcome.text } }
    case 'retry':
      if (ended.stalls >= STALLS) return blocked(ended, `${STALLS} stalls in a row; last: ${outcome.text}`)
      return rule.counted === 'repeated' && first ? openAt(ended) : retry(ended, outcome, more)
    case 'go-on':
      return goOn(ended, inARow(state, outcome), more)
    case 'hand-over':
      return handOver(ended, outcome, state.lastOutcome)
    case 'park':
      return blocked(ended, `QUESTION: ${outcome.text}`)
    case 'wait':
      return wait(ended, outcome, waitedFor(state, outcome), more)
    case 'lane-down':
      return {
        ...openAt(ended, { kind: 'lane', why: outcome.text }),
        lane: { state: 'down', until: null, code: outcome.code, reason: outcome.text, since: more.now },
      }
    case 'block':
      return blocked(ended, blockedBecause(outcome), LABELS[outcome.code] ?? [])
    case 'land':
      // It goes on by itself, and is no note on the task.
      return blocked(ended, '', [NEEDS_LANDING])
    case 'refuse-model':
      return {
        // The choice of the first attempt is forgotten, so that a corrected configuration applies to the next one.
        ...blocked({ ...ended, coder: null, model: null }, `its model cannot be used: ${outcome.text}`),
        refusedModel: { reason: outcome.text, since: more.now, trialFrom: null },
      }
    case 'bounce':
      return (outcome.times ?? 1) > BOUNCES
        ? blocked(ended, `${BOUNCES} times in conflict; last: ${outcome.text}`)
        : openAt(ended)
    case 'open':
      return openAt(ended)
    case 'nothing':
      return { state: ended, next: undefined }
  }
}

/** An attempt that fails otherwise has worked in between. */
function stallsInARow({ stalls }: TaskState, { code, unanswered }: Outcome): number {
  if (code === 'stalled') return stalls + 1
  const hasWorked = RULES[code].counted === 'yes' || (WORKED.has(code) && unanswered !== true)
  return hasWorked ? 0 : stalls
}

/** Ends that count as no failure, and that only an agent at work reaches. */
const WORKED: ReadonlySet<OutcomeCode> = new Set([
  'done',
  'context-full',
  'question',
  'needs-review',
  'needs-landing',
  'conflict',
  'out-of-scope',
  'denied',
  'budget',
])

/** A person retries a blocked task: the counters start again; the session, coder and model stay. */
export function withFreshAttempts(state: TaskState): TaskState {
  return {
    ...state,
    failures: 0,
    stalls: 0,
    handOvers: 0,
    ...NOT_WAITING,
    waitedMs: 0,
    lastOutcome: uncounted(state.lastOutcome),
  }
}

function uncounted(outcome: Outcome | null): Outcome | null {
  return outcome?.times === undefined ? outcome : { ...outcome, times: 0 }
}

/** The outcome with the number of attempts in a row that ended like that. */
function inARow({ lastOutcome }: TaskState, outcome: Outcome): Outcome & { readonly times: number } {
  const before = lastOutcome?.code === outcome.code ? (lastOutcome.times ?? 1) : 0
  return { ...outcome, times: before + 1 }
}

function goOn(ended: TaskState, outcome: Outcome & { readonly times: number }, { now, jitter }: RetryContext): After {
  const { times, text } = outcome
  const state = { ...ended, lastOutcome: outcome }
  if (times >= INTERRUPTS) return blocked(state, `${times} times in a row: ${text}`)
  const why = `goes on soon (${times} of ${INTERRUPTS} times in a row): ${text}`
  return openAt(state, { kind: 'retry', why, until: now + retryDelayMs(1, jitter) })
}

function retry(ended: TaskState, outcome: Outcome, { maxAttempts, now, jitter }: RetryContext): After {
  const failures = ended.failures + 1
  const state = { ...ended, failures }
  if (failures >= maxAttempts)
    return blocked(state, `${failures} ${failures === 1 ? 'attempt' : 'attempts'} failed; last: ${outcome.text}`)
  const why = `retry ${failures + 1} of ${maxAttempts}: ${outcome.text}`
  return openAt(state, { kind: 'retry', why, until: now + retryDelayMs(failures, jitter) })
}

function handOver(ended: TaskState, outcome: Outcome, last: Outcome | null): After {
  // A new session gets the same first request, so it cannot be shorter a third time.
  if (outcome.unanswered && last?.unanswered) return blocked(ended, outcome.text)
  if (ended.handOvers >= HAND_OVERS)
    return blocked(ended, `${HAND_OVERS} hand-overs were not enough; last: ${outcome.text}`)
  return openAt({ ...ended, handOvers: ended.handOvers + 1 })
}

interface Wait {
  /** The shortest single wait. */
  readonly leastMs: number
  /** The longest total wait of a task. */
  readonly mostMs: number
  /** How long the lane pauses. */
  pauseMs(outcome: Outcome, at: RetryContext, waitedMs: number): number
  /** How long the task waits, given its lane's pause and the task's total wait so far. */
  waitMs(pauseMs: number, waitedMs: number, at: RetryContext): number
}

const USAGE: Wait = {
  leastMs: MINUTE,
  mostMs: 7 * DAY,
  pauseMs({ resetsAt, code }, { lane, now }, waitedMs) {
    // Most limits without a reset time last five hours; trying twice an hour does no harm.
    if (resetsAt === undefined) return 30 * MINUTE
    const trusted = trustedReset(resetsAt, now)
    if (trusted !== undefined) return trusted - now
    return mistrustedDelayMs(Math.max(waitedMs, troubledMs(lane, code, now)))
  },
  waitMs: (pauseMs) => pauseMs,
}

/**
 * A lane's pause grows with the duration of its trouble, a task's wait with its own total wait. A task always waits longer
 * than its lane: if only this task's requests fail, other tasks try the lane first and find it working.
 */
const BUSY: Wait = {
  leastMs: 15 * SECOND,
  mostMs: 6 * HOUR,
  pauseMs: ({ code }, { lane, now, jitter }) => busyDelayMs(troubledMs(lane, code, now), jitter),
  waitMs: (pauseMs, waitedMs, { jitter }) => Math.max(pauseMs + 5 * SECOND, busyDelayMs(waitedMs, jitter)),
}

/** How long anything waits for a lane with this trouble. */
export function longestWaitMs(code: OutcomeCode): number {
  return RULES[code].fate === 'wait' && code !== 'usage-limit' ? BUSY.mostMs : USAGE.mostMs
}

function wait(ended: TaskState, outcome: Outcome, waitedMs: number, at: RetryContext): After {
  const { leastMs, mostMs, pauseMs, waitMs } = outcome.code === 'usage-limit' ? USAGE : BUSY
  const { now } = at
  const { code, text } = outcome
  if (waitedMs >= mostMs) return blocked(ended, `waited ${mostMs / HOUR} hours without success: ${text}`)
  const pause = clamp(Math.round(pauseMs(outcome, at, waitedMs)), leastMs, mostMs)
  const ms = clamp(Math.round(waitMs(pause, waitedMs, at)), leastMs, Math.max(leastMs, mostMs - waitedMs))
  return {
    ...openAt({ ...ended, waitedMs: waitedMs + ms }, { kind: 'lane', why: text, until: now + ms }),
    lane: { state: 'paused', until: now + pause, code, reason: text, since: now },
  }
}

/** The total wait so far. It starts again at 0 when the cause changes between a usage limit and an overload. */
function waitedFor({ lastOutcome, waitedMs }: TaskState, { code }: Outcome): number {
  return (lastOutcome?.code === 'usage-limit') === (code === 'usage-limit') ? waitedMs : 0
}

/** 5 s, 30 s, 2 min, then doubling up to an hour, with 20 % jitter. */
export function retryDelayMs(failures: number, jitter: number): number {
  const steps = [5 * SECOND, 30 * SECOND, 2 * MINUTE]
  const beyond = 2 * MINUTE * 2 ** Math.min(Math.max(0, failures - steps.length), 10)
  const base = steps[Math.max(0, failures - 1)] ?? Math.min(beyond, HOUR)
  return Math.min(HOUR, Math.round(base * (0.8 + 0.4 * jitter)))
}

/** Between 15 s and twice the total wait so far, at most 10 min; full jitter, so that waiting tasks do not all return at once. */
export function busyDelayMs(waitedMs: number, jitter: number): number {
  const most = clamp(2 * waitedMs, 30 * SECOND, 10 * MINUTE)
  return Math.round(15 * SECOND + jitter * (most - 15 * SECOND))
}

function openAt(state: TaskState, wait?: { kind: WaitKind; why: string; until?: number }): After {
  if (wait === undefined) return { state, next: { to: 'open' } }
  const { kind, why, until } = wait
  return {
    state: { ...state, waiting: why, waitingKind: kind, waitingUntil: until ?? null },
    next: until === undefined ? { to: 'open' } : { to: 'open', notBefore: until },
  }
}

function blocked(state: TaskState, notes: string, labels: readonly string[] = []): After {
  return { state, next: { to: 'blocked', notes, ...(labels.length === 0 ? {} : { addLabels: labels }) } }
}

/** They say which decision a blocked task waits for. */
const LABELS: Partial<Record<OutcomeCode, readonly string[]>> = {
  'needs-review': ['needs-review'],
  'out-of-scope': [NEEDS_APPROVAL],
}

function blockedBecause({ code, by, text }: Outcome): string {
  if (code === 'killed') return `stopped by ${by ?? 'somebody'}`
  return code === 'paused' ? `paused by ${by ?? 'somebody'}` : text
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
