import type { Usage } from './event.ts'
import { tokensOf } from './figures.ts'
import type { Run } from './run.ts'
import { plus } from './usage.ts'

/** The sum over attempts at a task, without the waits between them. */
export interface Spent {
  readonly durationMs: number
  readonly usage: Usage
  /** null: no attempt has a known cost. */
  readonly costUsd: number | null
  /** The number of attempts that asked a model and whose tokens, or cost, are unknown: the sum lacks theirs. */
  readonly tokensMissing: number
  readonly costMissing: number
}

/** Of the attempts that have ended. */
export function spentBy(runs: readonly Run[]): Spent {
  let spent: Spent = { durationMs: 0, usage: {}, costUsd: null, tokensMissing: 0, costMissing: 0 }
  for (const { startedAt, endedAt, figures } of runs) {
    if (endedAt === null) continue
    const { usage, costUsd, session } = figures
    const tokens = tokensOf(usage)
    // A script, and an agent that ended before it began, spend nothing.
    const asked = session !== null || tokens !== undefined
    spent = {
      durationMs: spent.durationMs + Math.max(0, endedAt - startedAt),
      usage: plus(spent.usage, usage),
      costUsd: costUsd === null ? spent.costUsd : (spent.costUsd ?? 0) + costUsd,
      tokensMissing: spent.tokensMissing + (asked && tokens === undefined ? 1 : 0),
      costMissing: spent.costMissing + (asked && costUsd === null ? 1 : 0),
    }
  }
  return spent
}
