import type { Lane } from './run.ts'

/** What may start now, decided on values alone: room, lanes and projects. */
export interface Situation {
  readonly now: number
  readonly maxConcurrent: number
  /** How much work of starting, in milliseconds of a processor, may be under way at once. */
  readonly startBudgetMs: number
  readonly lanes: readonly Lane[]
  /** The project a directory belongs to and how many agents may work in it; undefined: no bound of its own. */
  readonly projectCap: (cwd: string | undefined) => { readonly path: string; readonly cap: number } | undefined
  /** What runs or is about to. */
  readonly running: readonly Running[]
}

export interface Running extends Starter {
  readonly startedAt: number
  /** It has said something: its start is over. */
  readonly begun: boolean
  /** It has shown that its lane works: an answer of the model, or whatever the coder tells first. */
  readonly proven: boolean
}

export interface Starter {
  readonly task: string
  readonly lane: string
  readonly cwd: string | undefined
  /** What its start costs, in milliseconds of a processor. */
  readonly startCostMs: number
}

export interface Admission {
  /** How many may start at most. */
  readonly room: number
  /** Counts whom it admits: ask once about each, in claim order, and start those. */
  admits(candidate: Starter): boolean
  /** When time alone admits more, as far as was asked: the next paused lane may be tried, or others have begun; Infinity: never. */
  lookAgainAt(): number
}

/** Nobody tells when an agent has begun; it is seen this soon. */
const BEGUN_AGAIN = 200

export function admission(situation: Situation): Admission {
  const { now, maxConcurrent, startBudgetMs, lanes, projectCap, running } = situation
  const closed = new Map(lanes.filter((lane) => lane.state !== 'up').map((lane) => [lane.name, lane]))
  const tasks = new Set(running.map(({ task }) => task))
  const inProject = countBy(running, ({ cwd }) => projectCap(cwd)?.path)
  const caps = new Map(lanes.map(({ name, cap }) => [name, cap ?? Number.POSITIVE_INFINITY]))
  const onLane = countBy(running, ({ lane }) => lane)
  const probed = new Set<string>()
  let starting = running.reduce((sum, { begun, startCostMs }) => sum + (begun ? 0 : startCostMs), 0)
  let crowded = false
  const room = Math.max(0, maxConcurrent - running.length)
  let admitted = 0

  const laneAdmits = (name: string): boolean => {
    const lane = closed.get(name)
    const hasRoom = (onLane.get(name) ?? 0) < (caps.get(name) ?? Number.POSITIVE_INFINITY)
    if (lane === undefined) return hasRoom
    if (lane.state === 'down' || lane.until === null || lane.until > now) return false
    const { until } = lane
    const probes = running.filter((run) => run.lane === name && run.startedAt >= until)
    return probes.length === 0 ? !probed.has(name) : hasRoom && probes.some((run) => run.proven)
  }

  return {
    room,
    admits({ task, lane, cwd, startCostMs }) {
      const project = projectCap(cwd)
      if (admitted >= room || tasks.has(task) || !laneAdmits(lane)) return false
      if (project !== undefined && (inProject.get(project.path) ?? 0) >= project.cap) return false
      // One alone may cost more than all are given.
      if (startCostMs > 0 && starting > 0 && starting + startCostMs > startBudgetMs) {
        crowded = true
        return false
      }
      admitted++
      starting += startCostMs
      onLane.set(lane, (onLane.get(lane) ?? 0) + 1)
      tasks.add(task)
      probed.add(lane)
      if (project !== undefined) inProject.set(project.path, (inProject.get(project.path) ?? 0) + 1)
      return true
    },
    lookAgainAt: () =>
      Math.min(
        crowded ? now + BEGUN_AGAIN : Number.POSITIVE_INFINITY,
        ...[...closed.values()].flatMap(({ state, until }) =>
          state === 'paused' && until !== null && until > now ? [until] : [],
        ),
      ),
  }
}

/**
 * What a lane becomes when one of its runs says something about it. Only a person mends what is down; of two pauses the
 * longer one holds; and `since` stays while it is the same trouble, so that there is one alert of it.
 */
export function laneAfter(lane: Lane | undefined, change: Lane): Lane {
  if (lane === undefined || lane.state === 'up' || lane.name !== change.name) return change
  if (lane.state === 'down') return change.state === 'down' && lane.code !== change.code ? change : lane
  if (change.state !== 'paused') return change
  const longer = (lane.until ?? 0) > (change.until ?? 0) ? lane : change
  const since = lane.code === longer.code ? lane.since : longer.since
  // The first of a crowd that fails at once knew how many they were.
  return { ...longer, since, ...(lane.cap === undefined ? {} : { cap: lane.cap }) }
}

/** After an overload half as many as there were, and one more for each that is seen to work. */
export function capAfterTrouble(running: number): number {
  return Math.max(1, Math.floor(running / 2))
}

/** What becomes of a recovering lane when so many more have proven that it works. */
export function raised(lane: Lane, { proven, most }: { proven: number; most: number }): Lane {
  const { cap, ...free } = lane
  if (cap === undefined || cap + proven >= most) return free
  return { ...lane, cap: cap + proven }
}

function countBy<T>(all: readonly T[], key: (each: T) => string | undefined): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of all) {
    const name = key(each)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
