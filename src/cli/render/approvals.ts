import { bounded } from '../../domain/text/bounded.ts'
import { plainLine } from '../../domain/text/plain.ts'
import type { WaitingApproval } from '../../views/approvals.ts'

const MOST = 20

/** A task that left its scope, what it changed there, and the two ways on. */
export function waitingApprovalLines({ task, standing, receipt }: WaitingApproval): string[] {
  const outcome = standing.kind === 'waits' ? standing.run.outcome : null
  const { outside = [], outside_count: count = 0 } = receipt?.scope ?? {}
  const left = count - Math.min(outside.length, MOST)
  return [
    `${task.id}  ${bounded(plainLine(task.title), 200)}`,
    ...(outcome === null ? [] : [`  ${bounded(plainLine(outcome.text), 300)}`]),
    ...outside.slice(0, MOST).map(({ path }) => `    ${bounded(plainLine(path), 200)}`),
    ...(left > 0 ? [`    and ${left} more`] : []),
    `  without its scope it ended as ${outcome?.otherwise?.code ?? 'unknown'}`,
    `  fleet approve ${task.id}, or fleet retry ${task.id}`,
  ]
}
