import { pluralize } from '../../domain/text/pluralize.ts'
import type { MigrationResult } from '../../migration/migrate.ts'

/** The result of a migration: the tasks, the old queue, and how to go back. */
export function moveLines({ kind, from, to, tally, left, aside }: MigrationResult): string[] {
  const all = `${pluralize(tally.tasks, 'task')}${statuses(tally.byStatus)}`
  if (kind === 'already') return [`The tasks of this home are in ${to.location} already: ${all}.`]
  const more = [
    pluralize(tally.dependencies, 'dependency'),
    pluralize(tally.comments, 'comment'),
    pluralize(tally.history, 'entry').concat(' of history'),
  ]
  const lines = [
    `${kind === 'moved' ? 'Moved' : 'Would move'} ${all}, ${more.join(', ')}`,
    `  from ${from.location}`,
    `  to   ${to.location}`,
    ...left.map((each) => `  ${kind === 'moved' ? 'stays' : 'would stay'} behind: ${each}`),
  ]
  if (kind === 'would-move') return [...lines, 'Nothing was changed.']
  return [
    ...lines,
    'Read back and compared, task by task: all the same.',
    ...kept(from, aside),
    `To go back, with what happens from now on: ${back(from)}`,
  ]
}

/** A migration only reads the old queue; files that are in the way of the new one are set aside. */
function kept(from: MigrationResult['from'], aside: readonly string[]): string[] {
  const where = aside.length > 0 && from.kind !== 'postgres' ? aside : [from.location, ...aside]
  return where.map((path) => `Kept as it was: ${path}`)
}

function back({ kind }: MigrationResult['from']): string {
  return kind === 'postgres'
    ? 'fleet queue migrate --to postgres://...?schema=..., a schema without tasks'
    : `fleet queue migrate --to ${kind}`
}

function statuses(byStatus: MigrationResult['tally']['byStatus']): string {
  const words = Object.entries(byStatus).sort(([, a], [, b]) => b - a)
  return words.length === 0 ? '' : ` (${words.map(([status, count]) => `${count} ${status}`).join(', ')})`
}
