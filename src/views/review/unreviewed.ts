import type { HomeStore } from '../../app.ts'
import type { Policy } from '../../domain/fleet/policy.ts'
import { type UnreviewedProject, unreviewedProjects } from '../../domain/fleet/unreviewed.ts'
import { NEEDS_REVIEW } from '../../domain/run/review.ts'
import { directoryProblem } from '../../platform/files/paths.ts'
import { lastAttempt } from './reviews.ts'

/** The projects that start no more tasks because so many wait for a review. */
export async function heldProjects(
  store: HomeStore,
  policy: Policy | undefined,
): Promise<readonly UnreviewedProject[]> {
  if (policy === undefined || !policy.holdsForReviews) return []
  const labelled = []
  for await (const { id, metadata } of store.queue.find({ statuses: ['blocked'], labelsAll: [NEEDS_REVIEW] })) {
    const { run, machine } = await lastAttempt(store, id)
    labelled.push({ metadata, last: run, isElsewhere: machine !== undefined })
  }
  const exists = (directory: string) => directoryProblem(directory) === undefined
  const projects = unreviewedProjects(labelled, policy, { ...policy.host, exists })
  return projects.filter(({ waiting, most }) => waiting >= most)
}
