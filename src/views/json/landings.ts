import { rfc3339 } from '../../domain/task/time.ts'
import type { WaitingLanding } from '../landings.ts'

export function landingsJson(waiting: readonly WaitingLanding[]): Record<string, unknown>[] {
  return waiting.map(({ landing, target, stands }) => ({
    task: landing.task,
    title: landing.title,
    repository: landing.repository,
    branch: landing.branch,
    target,
    commit: landing.commit,
    since: rfc3339(landing.queuedAt),
    state: stands.kind,
    reason: stands.kind === 'waits' ? stands.why : null,
    next_try: stands.kind === 'waits' && stands.until !== null ? rfc3339(stands.until) : null,
    approved_by: landing.approvedBy,
    bounces: landing.bounces,
  }))
}
