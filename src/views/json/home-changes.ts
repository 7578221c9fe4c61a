import { rfc3339 } from '../../domain/task/time.ts'
import type { ChangeDiff } from '../change-diff.ts'
import type { HomeChange } from '../home-changes.ts'

export interface Decided {
  readonly change: HomeChange
  readonly diff: ChangeDiff
  /** null: nothing was decided, only shown. */
  readonly decision: 'accepted' | 'reverted' | null
  readonly keptAs?: string | undefined
}

export function decidedJson(decided: readonly Decided[]): Record<string, unknown> {
  const files = decided.map(({ change, diff, decision, keptAs }) => ({
    file: change.path,
    decision,
    noticed_at: rfc3339(change.noticedAt),
    runs: change.runs,
    diff: diff.lines.map(({ kind, text }) => `${kind}${text}`),
    masked: diff.masked,
    problem: diff.problem ?? null,
    kept_as: keptAs ?? null,
  }))
  return { schema_version: 1, files }
}
