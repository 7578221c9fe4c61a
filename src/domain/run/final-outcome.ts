import { type Outcome, type OutcomeCode, RULES } from './outcome.ts'

/**
 * The first reason to stop a run decides. But a person who says stop means the task: it must not be tried again behind
 * their back. And what somebody has taken away is not ours to say anything about.
 */
export function strongerReason(first: Outcome | undefined, next: Outcome | undefined): Outcome | undefined {
  return weight(next) > weight(first) ? next : first
}

const WEIGHTS: Partial<Record<OutcomeCode, number>> = { killed: 1, paused: 1, 'taken-away': 2 }

function weight(want: Outcome | undefined): number {
  return want === undefined ? 0 : (WEIGHTS[want.code] ?? 0)
}

/**
 * What a stopped run ended with: what it was stopped for, whatever was found. But an agent that has asked waits for a
 * person, and to stop it, for whatever else, must not lose its question.
 */
export function finalOutcome(want: Outcome | undefined, found: Outcome): Outcome {
  if (want === undefined) return found
  if (found.code !== 'question' || weight(want) > 0 || NOT_KEPT.has(want.code)) return want
  return RULES[want.code].resume === 'no' ? { ...found, fresh: true } : found
}

/** Others may have the task by now, and ask themselves. */
const NOT_KEPT: ReadonlySet<OutcomeCode> = new Set(['cut-off'])
