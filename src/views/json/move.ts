import type { MigrationResult } from '../../migration/migrate.ts'

export function moveJson({ kind, from, to, tally, left, aside }: MigrationResult): Record<string, unknown> {
  const { tasks, byStatus, dependencies, comments, history } = tally
  return {
    schema_version: 1,
    moved: kind === 'moved',
    already: kind === 'already',
    dry_run: kind === 'would-move',
    from: { queue: from.kind, location: from.location },
    to: { queue: to.kind, location: to.location },
    tasks,
    by_status: byStatus,
    dependencies,
    comments,
    history,
    stays_behind: left,
    set_aside: aside,
  }
}
