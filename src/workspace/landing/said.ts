import { type Execution, whyNotEnded } from '../../platform/process/exec.ts'

/** The output of a git command, or why it did not end. */
export function said(run: Execution): string {
  if (run.kind !== 'ended') return whyNotEnded(run)
  const text = `${run.out.toString('utf8')}${run.err}`.trim()
  return run.signal === undefined ? text : `${text}\ngit was ended by ${run.signal}`.trim()
}
