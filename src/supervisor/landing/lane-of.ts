import { type Landing, laneOfLanding, targetOf } from '../../domain/landing/landing.ts'
import { settingsOf } from '../../domain/task/settings.ts'
import type { World } from '../world.ts'

/** The branch that a landing is for by now, and the lane that it takes. */
export interface Course {
  readonly target: string | null
  readonly lane: string
}

/** A person may choose another branch at any time, so it is read anew for each try. */
export async function courseOf(world: World, landing: Landing): Promise<Course> {
  const task = await world.queue.get(landing.task)
  const own = task && settingsOf(task.metadata).target
  const target = targetOf(landing, { own, project: world.policy().landing(landing.project).target })
  return { target, lane: laneTo(world, landing, target) }
}

/** The lane as it was when its run ended. It says nothing for sure, and needs no look at the queue. */
export function recordedLane(world: World, landing: Landing): string {
  return laneTo(world, landing, landing.target)
}

function laneTo(world: World, { repository }: Landing, target: string | null): string {
  return laneOfLanding({ folder: world.landing.commonFolder(repository), target })
}
