import type { Run } from './run.ts'

/** How long the raw output of an attempt is kept, in milliseconds since its end. */
export interface Retention {
  readonly compressAfter: number
  readonly removeAfter: number
}

export type OutputFate = 'keep' | 'compress' | 'remove'

/** The fate of what all attempts of a task share: that of the attempt that keeps its output longest. */
export function fateOfTask(
  runs: readonly Pick<Run, 'phase' | 'endedAt'>[],
  retention: Retention,
  now: number,
): OutputFate {
  const fates = runs.map((run) => fateOfOutput(run, retention, now))
  if (fates.length === 0 || fates.includes('keep')) return 'keep'
  return fates.includes('compress') ? 'compress' : 'remove'
}

/** The fate of an attempt's raw output. An attempt that is not settled keeps it. */
export function fateOfOutput(
  run: Pick<Run, 'phase' | 'endedAt'> | undefined,
  { compressAfter, removeAfter }: Retention,
  now: number,
): OutputFate {
  if (run === undefined || run.phase !== 'settled' || run.endedAt === null) return 'keep'
  const age = now - run.endedAt
  return age >= removeAfter ? 'remove' : age >= compressAfter ? 'compress' : 'keep'
}
