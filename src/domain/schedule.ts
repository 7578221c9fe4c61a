import type { Lane } from './run.ts'

/** What may start now, decided on values alone: room, lanes and projects. */
export interface Situation {
  readonly now: number
  readonly maxConcurrent: number
  readonly lanes: readonly Lane[]
  /** The project a directory belongs to and how many agents may work in it; undefined: no bound of its own. */
  readonly projectCap: (cwd: string | undefined) => { readonly path: string; readonly cap: number } | undefined
  /** What runs or is about to. */
  readonly running: readonly Running[]
}

export interface Running extends Starter {
  readonly startedAt: number
  /** It has shown that its lane works: an answer of the model, or whatever the coder tells first. */
  readonly proven: boolean
}

export interface Starter {
  readonly task: string
  readonly lane: string
  readonly cwd: string | undefined
}

export interface Admission {
  /** How many may start at most. */
  readonly room: number
  /** Counts whom it admits: ask once about each, in claim order, and start those. */
  admits(candidate: Starter): boolean
  /** When time alone admits more: the next paused lane may be tried; Infinity: never. */
  readonly lookAgainAt: number
}

export function admission({ now, maxConcurrent, lanes, projectCap, running }: Situation): Admission {
  const closed = new Map(lanes.filter((lane) => lane.state !== 'up').map((lane) => [lane.name, lane]))
  const tasks = new Set(running.map(({ task }) => task))
  const inProject = countBy(running, ({ cwd }) => projectCap(cwd)?.path)
  const probed = new Set<string>()
  const room = Math.max(0, maxConcurrent - running.length)
  let admitted = 0

  const laneAdmits = (name: string): boolean => {
    const lane = closed.get(name)
    if (lane === undefined) return true
    if (lane.state === 'down' || lane.until === null || lane.until > now) return false
    const { until } = lane
    const probes = running.filter((run) => run.lane === name && run.startedAt >= until)
    return probes.length === 0 ? !probed.has(name) : probes.some((run) => run.proven)
  }

  return {
    room,
    admits({ task, lane, cwd }) {
      const project = projectCap(cwd)
      if (admitted >= room || tasks.has(task) || !laneAdmits(lane)) return false
      if (project !== undefined && (inProject.get(project.path) ?? 0) >= project.cap) return false
      admitted++
      tasks.add(task)
      probed.add(lane)
      if (project !== undefined) inProject.set(project.path, (inProject.get(project.path) ?? 0) + 1)
      return true
    },
    lookAgainAt: Math.min(
      Number.POSITIVE_INFINITY,
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
  return { ...longer, since: lane.code === longer.code ? lane.since : longer.since }
}

function countBy<T>(all: readonly T[], key: (each: T) => string | undefined): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of all) {
    const name = key(each)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
