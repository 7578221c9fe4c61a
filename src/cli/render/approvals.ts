import type { Breach } from '../../domain/scope/breach.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { plainLine } from '../../domain/text/plain.ts'
import type { WaitingApproval } from '../../views/approvals.ts'

const MOST = 20

/** Changes outside of a scope, and how many of them have no line. */
export function outsideLines(outside: readonly Breach[], count: number): string[] {
  const left = count - outside.length
  return [
    ...outside.map(({ path }) => `    ${bounded(plainLine(path), 200)}`),
    ...(left > 0 ? [`    and ${left} more`] : []),
  ]
}

/** A task that left its scope, what it changed there, and the two ways on. */
export function waitingApprovalLines({ task, standing, receipt }: WaitingApproval): string[] {
  const outcome = standing.kind === 'waits' ? standing.run.outcome : null
  const { outside = [], outside_count: count = 0 } = receipt?.scope ?? {}
  return [
    `${task.id}  ${bounded(plainLine(task.title), 200)}`,
    ...(outcome === null ? [] : [`  ${bounded(plainLine(outcome.text), 300)}`]),
    ...outsideLines(outside.slice(0, MOST), count),
    `  without its scope it ended as ${outcome?.otherwise?.code ?? 'unknown'}`,
    `  fleet approve ${task.id}, or fleet retry ${task.id}`,
  ]
}
