import type { Run } from '../../domain/run/run.ts'

/** The lines that the supervisor itself adds to a task's log. */

export function startLine({ id, attempt, startedAt, coder, model, cwd, resumes, proc }: Run): string {
  const ts = new Date(startedAt).toISOString()
  return JSON.stringify({ v: 1, ts, run: id, attempt, event: 'started', coder, model, cwd, resumes, pid: proc?.pid })
}

export function editLine({ id, attempt }: Run, { at, text }: { at: number; text: string }): string {
  return JSON.stringify({ v: 1, ts: new Date(at).toISOString(), run: id, attempt, event: 'edit-refused', text })
}

export function endLine({ id, attempt, endedAt, outcome }: Run): string {
  const ts = new Date(endedAt ?? 0).toISOString()
  return JSON.stringify({ v: 1, ts, run: id, attempt, event: 'ended', outcome: outcome?.code, why: outcome?.text })
}
