import { NEEDS_REVIEW } from '../../domain/run/review.ts'
import type { World } from '../world.ts'

/** How many tasks of each project wait until a person has reviewed them: of those whose last attempt ran on this machine. */
export class Unreviewed {
  readonly #world: World
  /** Attempts whose task is closed: people close tasks by hand, too. */
  readonly #over = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  /** By the path of the project; only projects with a limit. */
  async count(): Promise<ReadonlyMap<string, number>> {
    const { ledger, queue, policy } = this.#world
    const { maxUnreviewed, holdsForReviews } = policy()
    const counts = new Map<string, number>()
    if (!holdsForReviews) return counts
    for (const { task, attempts } of ledger.endedWith(NEEDS_REVIEW)) {
      const attempt = `${task} ${attempts}`
      const run = this.#over.has(attempt) ? undefined : ledger.runsOf(task).at(-1)
      const project = run && maxUnreviewed(run.project)?.path
      if (project === undefined) continue
      const found = await queue.get(task)
      if (found === undefined || found.status === 'closed') this.#over.add(attempt)
      else if (found.status === 'blocked' && found.labels.includes(NEEDS_REVIEW)) {
        counts.set(project, (counts.get(project) ?? 0) + 1)
      }
    }
    return counts
  }
}
