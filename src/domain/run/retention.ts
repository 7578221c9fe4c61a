import type { Run } from './run.ts'

/** How long the raw output of an attempt is kept, in milliseconds since its end. */
export interface Retention {
  readonly compressAfter: number
  readonly removeAfter: number
}

/** The fate of an attempt's raw output. An attempt that is not settled keeps it. */
export function fateOfOutput(
  run: Pick<Run, 'phase' | 'endedAt'> | undefined,
  { compressAfter, removeAfter }: Retention,
  now: number,
): 'keep' | 'compress' | 'remove' {
  if (run === undefined || run.phase !== 'settled' || run.endedAt === null) return 'keep'
  const age = now - run.endedAt
  return age >= removeAfter ? 'remove' : age >= compressAfter ? 'compress' : 'keep'
}
