import type { Lane } from '../run/run.ts'
import { roomOn } from './lane.ts'

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

/** How often what agents print is read, twice as often as it is shown; so who has begun is seen this soon. */
export const READ_EVERY_MS = 500

export function admission(situation: Situation): Admission {
  const { now, maxConcurrent, startBudgetMs, lanes, projectCap, running } = situation
  const tasks = new Set(running.map(({ task }) => task))
  const inProject = countBy(running, ({ cwd }) => projectCap(cwd)?.path)
  const leftOnLane = new Map<string, number>()
  let starting = running.reduce((sum, { begun, startCostMs }) => sum + (begun ? 0 : startCostMs), 0)
  let crowded = false
  const room = Math.max(0, maxConcurrent - running.length)
  let admitted = 0

  const leftOn = (name: string): number => {
    const lane = lanes.find((each) => each.name === name)
    const left = leftOnLane.get(name) ?? roomOn(lane, { running: running.filter((run) => run.lane === name), now })
    leftOnLane.set(name, left)
    return left
  }

  return {
    room,
    admits({ task, lane, cwd, startCostMs }) {
      const project = projectCap(cwd)
      if (admitted >= room || tasks.has(task) || leftOn(lane) <= 0) return false
      if (project !== undefined && (inProject.get(project.path) ?? 0) >= project.cap) return false
      // One alone may cost more than all are given.
      if (startCostMs > 0 && starting > 0 && starting + startCostMs > startBudgetMs) {
        crowded = true
        return false
      }
      admitted++
      starting += startCostMs
      leftOnLane.set(lane, leftOn(lane) - 1)
      tasks.add(task)
      if (project !== undefined) inProject.set(project.path, (inProject.get(project.path) ?? 0) + 1)
      return true
    },
    lookAgainAt: () =>
      Math.min(
        crowded ? now + READ_EVERY_MS : Number.POSITIVE_INFINITY,
        ...lanes.flatMap(({ state, until }) => (state === 'paused' && until !== null && until > now ? [until] : [])),
      ),
  }
}

function countBy<T>(all: readonly T[], key: (each: T) => string | undefined): Map<string, number> {
  const counts = new Map<string, number>()
  for (const each of all) {
    const name = key(each)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
