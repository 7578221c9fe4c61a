import { rfc3339 } from '../../domain/task/time.ts'
import type { WaitingApproval } from '../approvals.ts'

export function waitingApprovalsJson(waiting: readonly WaitingApproval[]): Record<string, unknown>[] {
  return waiting.map(({ task, standing, receipt }) => {
    const run = standing.kind === 'waits' ? standing.run : undefined
    return {
      task: task.id,
      title: task.title,
      since: run?.endedAt == null ? null : rfc3339(run.endedAt),
      attempt: run?.attempt ?? null,
      run: run?.id ?? null,
      reason: run?.outcome?.text ?? null,
      scope: receipt?.scope ?? null,
      otherwise: run?.outcome?.otherwise?.code ?? null,
    }
  })
}
