import type { Lane } from '../run/run.ts'

/**
 * What a lane admits, and what becomes of it by what its runs show. Whatever the trouble was, there is one way back: when
 * its pause is over, one run tries the lane; an answer of the model to that run brings it up again, for as many agents as
 * its cap says; and each run begun since the pause that has an answer makes room for one more.
 */

/** How many more may start on a lane now, beside those that run there. */
export function roomOn(
  lane: Lane | undefined,
  { running, now }: { running: readonly { readonly startedAt: number }[]; now: number },
): number {
  switch (lane?.state) {
    case undefined:
      return Number.POSITIVE_INFINITY
    case 'up':
      return (lane.cap ?? Number.POSITIVE_INFINITY) - running.length
    case 'down':
      return 0
    case 'paused':
      // What began before has shown nothing of how things are now, and is no reason to wait either.
      return isOver(lane, now) && !running.some((run) => startedAfterPause(lane, run)) ? 1 : 0
  }
}

/** A run that has an answer of the model. */
export interface AnsweredRun {
  readonly startedAt: number
  /** It has made room for one more already. */
  readonly counted: boolean
}

/** What a lane becomes by the runs that work on it; undefined: nothing else. */
export function afterAnswers(
  lane: Lane,
  answered: readonly AnsweredRun[],
  { now, most }: { now: number; most: number },
): Lane | undefined {
  switch (lane.state) {
    case 'up':
      return raised(lane, answered.filter(({ startedAt, counted }) => !counted && startedAt >= lane.since).length, most)
    case 'down':
      return undefined
    case 'paused':
      if (lane.until === null || !isOver(lane, now) || !answered.some((run) => startedAfterPause(lane, run)))
        return undefined
      return { ...lane, state: 'up', until: null, code: null, reason: null, since: lane.until }
  }
}

function raised(lane: Lane, by: number, most: number): Lane | undefined {
  const { cap, ...free } = lane
  if (cap === undefined || by === 0) return undefined
  return cap + by < most ? { ...lane, cap: cap + by } : free
}

/** Who met the trouble: when it began, and how many were at work there, itself among them. */
export interface TroubledRun {
  readonly startedAt: number
  readonly running: number
}

/**
 * What a lane becomes when one of its runs says something about it. Only a person mends what is down; of two pauses the
 * longer one holds; and `since` stays while it is the same trouble, so that there is one alert of it.
 */
export function afterTrouble(lane: Lane | undefined, trouble: Lane, troubled: TroubledRun): Lane {
  if (lane?.state === 'down' && (trouble.state !== 'down' || lane.code === trouble.code)) return lane
  if (trouble.state !== 'paused') return trouble
  const cap = capAfter(lane, troubled)
  if (lane?.state !== 'paused') return { ...trouble, cap }
  const longer = (lane.until ?? 0) > (trouble.until ?? 0) ? lane : trouble
  return { ...longer, since: lane.code === longer.code ? lane.since : longer.since, cap }
}

/** Half as many as it could not bear. */
function capAfter(lane: Lane | undefined, troubled: TroubledRun): number {
  const { cap = troubled.running } = lane ?? {}
  if (lane?.state !== 'paused') return half(Math.min(cap, troubled.running))
  // Of a crowd that fails at once the first knew how many they were, and the others tell nothing new.
  return startedAfterPause(lane, troubled) || lane.cap === undefined ? half(cap) : cap
}

function half(many: number): number {
  return Math.max(1, Math.floor(many / 2))
}

/** For how long it has been in this trouble already, with the times that it was tried in vain. */
export function troubledMs(lane: Lane | undefined, code: Lane['code'], now: number): number {
  return lane?.state === 'paused' && lane.code === code ? Math.max(0, now - lane.since) : 0
}

/**
 * Somebody may have mended it, or does not want to wait: tried by one run from now on, and down or paused again if that
 * meets the same. undefined: nothing keeps it from being tried.
 */
export function openForTrial(lane: Lane, now: number): Lane | undefined {
  if (lane.state === 'up' || (lane.state === 'paused' && isOver(lane, now))) return undefined
  return { ...lane, state: 'paused', until: now }
}

function isOver({ until }: Lane, now: number): boolean {
  return until !== null && until <= now
}

/** It began after the pause: what it meets is how things are now. */
function startedAfterPause({ until }: Lane, { startedAt }: { readonly startedAt: number }): boolean {
  return until !== null && startedAt >= until
}
