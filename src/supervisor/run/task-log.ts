import { taskLogLine } from '../../domain/agent/task-log.ts'
import type { Run } from '../../domain/run/run.ts'

/** The supervisor's own lines about an attempt in the log of its task. */

export function startLine({ id, attempt, startedAt, coder, model, cwd, resumes, proc }: Run): string {
  const entry = { event: 'started', coder, model, cwd, resumes, pid: proc?.pid } as const
  return taskLogLine({ id, attempt, at: startedAt }, entry)
}

export function editLine({ id, attempt }: Run, { at, text }: { at: number; text: string }): string {
  return taskLogLine({ id, attempt, at }, { event: 'edit-refused', text })
}

export function endLine({ id, attempt, endedAt, outcome }: Run): string {
  return taskLogLine({ id, attempt, at: endedAt ?? 0 }, { event: 'ended', outcome: outcome?.code, why: outcome?.text })
}
