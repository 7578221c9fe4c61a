/** One recorded change of one task. `changes` maps a field to its value before and after. */
export interface HistoryEntry {
  seq: number
  task: string
  at: string
  actor: string
  kind: HistoryKind
  changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>>
}

export type HistoryKind =
  | 'created'
  | 'imported'
  | 'updated'
  | 'claimed'
  | 'released'
  | 'closed'
  | 'reopened'
  | 'deleted'
  | 'dependency_added'
  | 'dependency_removed'
  | 'label_added'
  | 'label_removed'
  | 'commented'
