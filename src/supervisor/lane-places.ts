import { afterAnswers, roomOn } from '../domain/fleet/lane.ts'
import type { Outcome } from '../domain/run/outcome.ts'
import { afterRun, longestWaitMs } from '../domain/run/retry.ts'
import { freshState } from '../domain/run/run.ts'
import { pluralize } from '../domain/text/pluralize.ts'
import type { ClosedLane, LanePlace, Lanes } from '../ports/lanes.ts'
import { closeLane, laneOf, logMended } from './lanes.ts'
import type { World } from './world.ts'

interface Taken {
  readonly lane: string
  readonly startedAt: number
}

/** Places on the lanes of the runs. A run that is being checked holds none: its own agent has gone. */
export class LanePlaces implements Lanes {
  /** A function: the world has the checks, which have this. */
  readonly #world: () => World
  readonly #taken = new Set<Taken>()

  constructor(world: () => World) {
    this.#world = world
  }

  take(name: string): LanePlace | ClosedLane {
    const world = this.#world()
    const now = world.clock.now()
    const lane = laneOf(world, name)
    const agents = world.ledger.openRuns().filter((run) => run.lane === name && AT_WORK.has(run.phase))
    const running = [...agents, ...[...this.#taken].filter((each) => each.lane === name)]
    if (lane === undefined || roomOn(lane, { running, now }) > 0) return this.#place({ lane: name, startedAt: now })
    if (lane.state === 'up')
      return { why: `its lane has ${pluralize(running.length, 'agent')} for now`, isHopeless: false }
    const isHopeless = lane.code !== null && now - lane.since >= longestWaitMs(lane.code)
    return { why: lane.reason ?? `its lane is ${lane.state}`, isHopeless }
  }

  #place(taken: Taken): LanePlace {
    const world = this.#world()
    const { ledger, clock, machine, policy } = world
    this.#taken.add(taken)
    return {
      answered() {
        const lane = laneOf(world, taken.lane)
        const answer = { answeredAt: clock.now(), countedFor: undefined }
        const after = lane && afterAnswers(lane, [answer], { now: clock.now(), most: policy().maxConcurrent })
        if (lane === undefined || after === undefined) return
        ledger.saveLane(after)
        logMended(world, lane, after)
      },
      troubled(trouble: Outcome) {
        const { lane } = afterRun(freshState(''), trouble, {
          maxAttempts: 1,
          now: clock.now(),
          jitter: machine.chance(),
          session: undefined,
          lane: laneOf(world, taken.lane),
        })
        if (lane !== undefined) closeLane(world, { ...lane, name: taken.lane }, taken.startedAt)
      },
      [Symbol.dispose]: () => void this.#taken.delete(taken),
    }
  }
}

const AT_WORK: ReadonlySet<string> = new Set(['launching', 'running', 'stopping'])
