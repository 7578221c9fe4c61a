import type { Policy } from '../../domain/fleet/policy.ts'
import type { Run } from '../../domain/run/run.ts'
import type { World } from '../world.ts'

/** Facts of a run's launch record that its outcome tells people. An agent may have changed it: nothing is decided by them. */
export interface LaunchFacts {
  readonly permissions?: Policy['permissions']
}

const LEVELS: readonly Policy['permissions'][] = ['full', 'workspace', 'settings']

export function launchFacts({ attempts }: Pick<World, 'attempts'>, { task, attempt }: Run): LaunchFacts {
  try {
    const { permissions } = JSON.parse(attempts.read(task, attempt, 'launch.json') ?? '')
    const level = LEVELS.find((each) => each === permissions)
    return level === undefined ? {} : { permissions: level }
  } catch {
    return {}
  }
}
