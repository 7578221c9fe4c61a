import type { Lane } from '../run/run.ts'

/**
 * How many runs a lane admits, and how its state follows from its runs. Recovery is the same for every trouble: when the
 * pause is over, one trial run starts. When the model answers it, or a run from before the pause, the lane is up again with a
 * cap on its agents. Each run that gets an answer after the pause, also one from before it, raises the cap by one.
 */

/** How many more runs may start on a lane now. */
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
      // A run started before the pause says nothing about the lane now, and does not count as the trial run.
      return isOver(lane, now) && !running.some((run) => startedAfterPause(lane, run)) ? 1 : 0
  }
}

/** A run that the model has answered. */
export interface AnsweredRun {
  /** The last answer. */
  readonly answeredAt: number
  /** `since` of the lane when this run raised its cap. */
  readonly countedFor: number | undefined
}

/** The lane after its runs got answers; undefined if nothing changes. */
export function afterAnswers(
  lane: Lane,
  answered: readonly AnsweredRun[],
  { now, most }: { now: number; most: number },
): Lane | undefined {
  switch (lane.state) {
    case 'up':
      return raised(lane, answered.filter((run) => countsFor(lane, run)).length, most)
    case 'down':
      return undefined
    case 'paused': {
      const { until } = lane
      if (until === null || !isOver(lane, now) || !answered.some((run) => run.answeredAt >= until)) return undefined
      return upAgain({ ...lane, state: 'up', until: null, since: until })
    }
  }
}

/** Whether an answer of this run raises the cap of a lane that is up: once in each recovery. */
export function countsFor({ since }: Lane, { answeredAt, countedFor }: AnsweredRun): boolean {
  return answeredAt >= since && countedFor !== since
}

/** Code and reason stay as long as the cap does: they are its reason. */
function upAgain(lane: Lane): Lane {
  return lane.cap === undefined ? { ...lane, code: null, reason: null } : lane
}

function raised(lane: Lane, by: number, most: number): Lane | undefined {
  const { cap, ...free } = lane
  if (cap === undefined || by === 0) return undefined
  return cap + by < most ? { ...lane, cap: cap + by } : upAgain(free)
}

/** The run that met the trouble: when it started, and how many ran on the lane, itself included. */
export interface TroubledRun {
  readonly startedAt: number
  readonly running: number
}

/**
 * The lane after one of its runs met trouble. Only a person brings up a lane that is down. Of two pauses the longer one
 * holds. `since` does not change while the trouble is the same, so that people get one alert.
 */
export function afterTrouble(lane: Lane | undefined, trouble: Lane, troubled: TroubledRun): Lane {
  if (lane?.state === 'down' && (trouble.state !== 'down' || lane.code === trouble.code)) return lane
  if (trouble.state !== 'paused') return trouble
  const cap = capAfter(lane, troubled)
  if (lane?.state !== 'paused') return { ...trouble, cap }
  const longer = (lane.until ?? 0) > (trouble.until ?? 0) ? lane : trouble
  return { ...longer, since: lane.code === longer.code ? lane.since : longer.since, cap }
}

/** Half the number of agents that the lane could not serve. */
function capAfter(lane: Lane | undefined, troubled: TroubledRun): number {
  const { cap = troubled.running } = lane ?? {}
  if (lane?.state !== 'paused') return half(Math.min(cap, troubled.running))
  // When many runs fail together, the first one set the cap; the others add nothing new.
  return startedAfterPause(lane, troubled) || lane.cap === undefined ? half(cap) : cap
}

function half(many: number): number {
  return Math.max(1, Math.floor(many / 2))
}

/** How long the lane has been in this trouble, including failed trials. */
export function troubledMs(lane: Lane | undefined, code: Lane['code'], now: number): number {
  return lane?.state === 'paused' && lane.code === code ? Math.max(0, now - lane.since) : 0
}

/**
 * A person has fixed the cause or does not want to wait: one trial run may start now. If it meets the same trouble, the lane
 * is down or paused again. undefined if a run may start anyway.
 */
export function openForTrial(lane: Lane, now: number): Lane | undefined {
  if (lane.state === 'up' || (lane.state === 'paused' && isOver(lane, now))) return undefined
  return { ...lane, state: 'paused', until: now }
}

function isOver({ until }: Lane, now: number): boolean {
  return until !== null && until <= now
}

/** Only such a run shows the lane's current state. */
function startedAfterPause({ until }: Lane, { startedAt }: { readonly startedAt: number }): boolean {
  return until !== null && startedAt >= until
}
