import type { Run } from '../domain/run.ts'

/** The first and the last line of an attempt in the log of its task. */

export function startLine({ id, attempt, startedAt, coder, model, cwd, resumes, proc }: Run): string {
  const ts = new Date(startedAt).toISOString()
  return JSON.stringify({ v: 1, ts, run: id, attempt, event: 'started', coder, model, cwd, resumes, pid: proc?.pid })
}

export function endLine({ id, attempt, endedAt, outcome }: Run): string {
  const ts = new Date(endedAt ?? 0).toISOString()
  return JSON.stringify({ v: 1, ts, run: id, attempt, event: 'ended', outcome: outcome?.code, why: outcome?.text })
}
