import type { HomeStore } from '../../app.ts'
import type { UnreviewedProject } from '../../domain/fleet/attention.ts'
import type { Policy } from '../../domain/fleet/policy.ts'
import { NEEDS_REVIEW } from '../../domain/run/review.ts'

/** The projects that start no more tasks because so many wait for a review here. */
export async function unreviewedProjects(
  { queue, ledger }: Pick<HomeStore, 'ledger' | 'queue'>,
  policy: Policy | undefined,
): Promise<readonly UnreviewedProject[]> {
  if (policy === undefined || !policy.holdsForReviews) return []
  const counts = new Map<string, { waiting: number; most: number }>()
  for await (const { id } of queue.find({ statuses: ['blocked'], labelsAll: [NEEDS_REVIEW] })) {
    const run = ledger.runsOf(id).at(-1)
    const limit = run?.outcome?.code === NEEDS_REVIEW ? policy.maxUnreviewed(run.project) : undefined
    if (limit === undefined) continue
    counts.set(limit.path, { waiting: (counts.get(limit.path)?.waiting ?? 0) + 1, most: limit.most })
  }
  return [...counts].flatMap(([project, each]) => (each.waiting >= each.most ? [{ project, ...each }] : []))
}
