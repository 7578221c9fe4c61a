import { type UnreviewedProject, unreviewedProjects } from '../../domain/fleet/unreviewed.ts'
import { NEEDS_REVIEW } from '../../domain/run/review.ts'
import type { Task } from '../../domain/task/task.ts'
import { cameFrom } from '../shared/task-records.ts'
import type { World } from '../world.ts'

/** The projects with a limit, and how many of their tasks wait for a review: on a shared queue those of all machines. */
export async function unreviewedNow(world: World): Promise<readonly UnreviewedProject[]> {
  const policy = world.policy()
  if (!policy.holdsForReviews) return []
  const waiting: Task[] = []
  for await (const task of world.queue.find({ statuses: ['blocked'], labelsAll: [NEEDS_REVIEW] })) waiting.push(task)
  if (waiting.length === 0) return []
  const records = (await world.records?.of(waiting.map(({ id }) => id))) ?? []
  const byTask = new Map(records.map((record) => [record.task, record]))
  const labelled = waiting.map(({ id, metadata }) => ({
    metadata,
    last: world.ledger.runsOf(id).at(-1),
    isElsewhere: cameFrom(world, byTask.get(id)) !== undefined,
  }))
  const exists = (directory: string) => world.machine.directoryProblem(directory) === undefined
  return unreviewedProjects(labelled, policy, { ...policy.host, exists })
}
