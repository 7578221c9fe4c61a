import type { Review } from '../../domain/run/review.ts'
import { rfc3339 } from '../../domain/task/time.ts'
import type { ReviewView, WaitingReview } from '../review/reviews.ts'

export function waitingReviewsJson(waiting: readonly WaitingReview[]): Record<string, unknown>[] {
  return waiting.map(({ task, since, run, receipt, machine, reason }) => ({
    task: task.id,
    title: task.title,
    since: rfc3339(since),
    attempt: run?.attempt ?? null,
    run: run?.id ?? null,
    coder: run?.coder ?? null,
    level: receipt?.level ?? null,
    reason,
    files_changed: receipt?.evidence.files_changed_count ?? null,
    warnings: receipt?.warnings.length ?? 0,
    machine: machine ?? null,
  }))
}

export function reviewJson({ task, run, receipt, standing, programs, reviews }: ReviewView): Record<string, unknown> {
  return {
    schema_version: 1,
    task: task.id,
    title: task.title,
    status: task.status,
    waits: standing.kind !== 'not',
    run: run?.id ?? null,
    ...(standing.kind === 'programs' && { landing_stopped: { why: standing.why, changed: programs } }),
    receipt: receipt ?? null,
    reviews: reviews.map(decisionJson),
  }
}

export function decisionJson({ run, decision, by, at, note }: Review): Record<string, unknown> {
  return { run, decision, by, at: rfc3339(at), note: note === '' ? null : note }
}
