import type { Run } from './run.ts'

/**
 * The cost reported by the earlier runs of the session that a run resumes, for a coder that reports cost per session. The
 * cost of a run that was killed before it reported is attributed to the next run that reports, so the sum stays right.
 */
export function costBefore({ attempt, resumes }: Pick<Run, 'attempt' | 'resumes'>, runs: readonly Run[]): number {
  if (resumes === null) return 0
  const earlier = runs.filter((run) => run.attempt < attempt && run.figures.session === resumes)
  return earlier.reduce((sum, { figures }) => sum + (figures.costUsd ?? 0), 0)
}
