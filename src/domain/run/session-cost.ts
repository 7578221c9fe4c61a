import type { Run } from './run.ts'

/**
 * What the earlier runs of the session that a run goes on with have told that they cost, for a coder that counts by the
 * session. What one of them never told, because it was killed, is on the first after it that tells, so that the sum is
 * right.
 */
export function costBefore({ attempt, resumes }: Pick<Run, 'attempt' | 'resumes'>, runs: readonly Run[]): number {
  if (resumes === null) return 0
  const earlier = runs.filter((run) => run.attempt < attempt && run.figures.session === resumes)
  return earlier.reduce((sum, { figures }) => sum + (figures.costUsd ?? 0), 0)
}
