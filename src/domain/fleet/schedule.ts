import type { Lane } from '../run/run.ts'
import { FreeLocks } from '../task/lock.ts'
import { roomOn } from './lane.ts'
import { type RefusedModel, refusalOf, roomForModel } from './refused-model.ts'

/** The facts that decide which tasks may start now. */
export interface Situation {
  readonly now: number
  readonly maxConcurrent: number
  /** The most startup work at once, in milliseconds of CPU time. */
  readonly startBudgetMs: number
  readonly lanes: readonly Lane[]
  readonly refusedModels: readonly RefusedModel[]
  /** A directory's project and the most agents that may work in it; undefined: no limit. */
  readonly projectCap: (cwd: string | undefined) => { readonly path: string; readonly cap: number } | undefined
  /** As many tasks of its project wait for a review as may. */
  readonly isHeldForReviews: (cwd: string | undefined) => boolean
  /** Runs that are active or starting. */
  readonly running: readonly Running[]
}

export interface Running extends Starter {
  readonly startedAt: number
  /** It has printed something, so its startup work is over. */
  readonly begun: boolean
}

export interface Starter {
  readonly task: string
  readonly lane: string
  /** '': the coder's own choice. */
  readonly model: string
  readonly cwd: string | undefined
  /** The names of the locks that it takes. */
  readonly locks: readonly string[]
  /** The startup work, in milliseconds of CPU time. */
  readonly startCostMs: number
}

export interface Admission {
  /** The most tasks that may start. */
  readonly room: number
  /** Stateful: counts each admitted task. Ask once per task, in claim order, and start every admitted one. */
  admits(candidate: Starter): boolean
  /** When more tasks may be admitted just because time has passed: a lane's pause ends, or startup work is over. Infinity: never. */
  lookAgainAt(): number
}

/** How often the supervisor reads agents' output, and so how soon it notices that one has begun. Twice as often as it is shown. */
export const READ_EVERY_MS = 500

export function admission(situation: Situation): Admission {
  const { now, maxConcurrent, startBudgetMs, lanes, refusedModels, projectCap, isHeldForReviews, running } = situation
  const tasks = new Set(running.map(({ task }) => task))
  const inProject = countBy(running, ({ cwd }) => projectCap(cwd)?.path)
  // The queue knows the locks of claimed tasks. A run whose task was taken away still has its own until it has gone.
  const freeLocks = new FreeLocks(() => running.flatMap(({ locks }) => locks))
  const leftOnLane = new Map<string, number>()
  const leftForModel = new Map<RefusedModel, number>()
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

  const leftFor = (refused: RefusedModel | undefined): number => {
    if (refused === undefined) return Number.POSITIVE_INFINITY
    return leftForModel.get(refused) ?? roomForModel(refused, running)
  }

  return {
    room,
    admits({ task, lane, model, cwd, locks, startCostMs }) {
      const project = projectCap(cwd)
      const refused = refusalOf(refusedModels, { lane, model })
      if (leftFor(refused) <= 0) return false
      if (isHeldForReviews(cwd) || !freeLocks.areFree(locks)) return false
      if (admitted >= room || tasks.has(task) || leftOn(lane) <= 0) return false
      if (project !== undefined && (inProject.get(project.path) ?? 0) >= project.cap) return false
      // A single start may exceed the whole budget, if nothing else is starting.
      if (startCostMs > 0 && starting > 0 && starting + startCostMs > startBudgetMs) {
        crowded = true
        return false
      }
      admitted++
      freeLocks.take(locks)
      starting += startCostMs
      leftOnLane.set(lane, leftOn(lane) - 1)
      if (refused !== undefined) leftForModel.set(refused, leftFor(refused) - 1)
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
