import type { Outcome, OutcomeCode } from './outcome.ts'

/** A person who says stop means the task: it must not be tried again behind their back. */
export function isOfAPerson(want: Outcome | undefined): boolean {
  return want !== undefined && PERSONS.has(want.code)
}

const PERSONS: ReadonlySet<OutcomeCode> = new Set(['killed', 'paused'])

/** The first reason to stop a run decides; only a person's outweighs another. */
export function firstWant(first: Outcome | undefined, next: Outcome | undefined): Outcome | undefined {
  return isOfAPerson(next) && !isOfAPerson(first) ? next : first
}

/**
 * What a stopped run ended with: what it was stopped for, whatever was found. But an agent that has asked waits for a
 * person, and to stop it, for whatever else, must not lose its question. Where the task may be somebody else's, or a
 * person stopped it, there is nobody to ask for.
 */
export function decides(want: Outcome | undefined, found: Outcome): Outcome {
  const mayPark = want === undefined || !(isOfAPerson(want) || NOT_OURS.has(want.code))
  return want === undefined || (found.code === 'question' && mayPark) ? found : want
}

const NOT_OURS: ReadonlySet<OutcomeCode> = new Set(['taken-away', 'cut-off'])
