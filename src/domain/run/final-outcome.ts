import { type Outcome, type OutcomeCode, RULES } from './outcome.ts'

/**
 * The first reason to stop a run decides. But a person who says stop means the task: it must not be retried behind their
 * back. And a task that somebody has taken away is not ours to decide about.
 */
export function strongerReason<First extends Outcome | undefined>(
  first: First,
  next: Outcome | undefined,
): First | Outcome {
  return next !== undefined && weight(next) > weight(first) ? next : first
}

const WEIGHTS: Partial<Record<OutcomeCode, number>> = { killed: 1, paused: 1, 'taken-away': 2 }

function weight(want: Outcome | undefined): number {
  return want === undefined ? 0 : (WEIGHTS[want.code] ?? 0)
}

/**
 * The outcome of a run: the reason it was stopped for, whatever was found. But an agent that has asked waits for a person,
 * and a stop for another reason must not lose its question. And an agent that destroyed evidence does not hide that behind
 * another failure, nor one that left its bounds behind a message that it was interrupted for.
 */
export function finalOutcome(want: Outcome | undefined, found: Outcome): Outcome {
  if (want === undefined) return found
  if (found.code === 'evidence-destroyed' && RULES[want.code].counted !== 'no') return found
  if (found.code === 'out-of-scope' && want.code === 'told') return { ...found, otherwise: want }
  if (found.code !== 'question' || weight(want) > 0 || NOT_KEPT.has(want.code)) return want
  return RULES[want.code].resume === 'no' ? { ...found, fresh: true } : found
}

/** Another machine may have the task by now, and its agent asks again. */
const NOT_KEPT: ReadonlySet<OutcomeCode> = new Set(['cut-off'])
