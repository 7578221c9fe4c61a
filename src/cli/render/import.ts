import type { ImportReport } from '../../ports/task-store.ts'
import { refusalText } from './dependency.ts'

export interface ImportOutcome {
  readonly source: string
  readonly dryRun: boolean
  readonly report: ImportReport
  /** Lines left out because of their title. */
  readonly duplicates: number
  readonly memories: number
}

/** bd's report. What it calls created is everything that was taken in, except in a dry run. */
export function importJson({ source, dryRun, report, duplicates, memories }: ImportOutcome): Record<string, unknown> {
  const { created, updated, unchanged, tied, stale, imported } = report
  const updates = updated.map(({ id, changes }) =>
    changes.length === 0 ? { id } : { id, changes: changes.join(', ') },
  )
  const all: Record<string, unknown> = {
    source,
    created: dryRun ? created.length : imported.length,
    updated: updated.length,
    unchanged: dryRun ? unchanged.length + tied.length : 0,
    skipped: stale.length + (dryRun ? duplicates : 0),
    dedup_skipped: duplicates,
    memories,
    ids: dryRun ? created.filter((id) => id !== '') : imported,
    updated_issues: updates,
    tie_kept_local_ids: tied,
    stale_skipped_ids: stale,
    skipped_dependencies: dryRun ? [] : skippedEdges(report),
    dry_run: dryRun,
  }
  const says = (name: string, value: unknown) =>
    name === 'created' ||
    name === 'skipped' ||
    !(value === 0 || value === false || (Array.isArray(value) && value.length === 0))
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => says(name, value)))
}

/** The same for people. */
export function importLines({ source, dryRun, report, duplicates, memories }: ImportOutcome): string[] {
  const { created, updated, unchanged, tied, stale, imported } = report
  const skippedTitles = duplicates === 0 ? '' : ` (${duplicates} duplicates skipped)`
  if (dryRun) {
    const same = unchanged.length + tied.length
    const all = created.length + updated.length + same
    const old = stale.length === 0 ? '' : ` (${stale.length} stale skipped)`
    return [
      `Would import ${all} issues (${created.length} new, ${updated.length} updated, ${same} unchanged) and ${memories} memories from ${source}${skippedTitles}${old}`,
    ]
  }
  const old = stale.length === 0 ? '' : ` (${stale.length} stale skipped; use --allow-stale to restore older rows)`
  const lines = [
    `Imported ${imported.length} issues${memories === 0 ? '' : ` and ${memories} memories`} from ${source}${skippedTitles}${old}`,
  ]
  if (updated.length > 0) lines.push(`Updated ${updated.length} existing issue(s):`)
  for (const { id, changes } of updated) lines.push(`  ${id}: ${changes.join(', ')}`)
  if (tied.length > 0) {
    lines.push(
      `Kept local state for ${tied.length} issue(s) with the same updated_at but different content (use --allow-stale to overwrite): ${tied.join(', ')}`,
    )
  }
  for (const edge of skippedEdges(report)) lines.push(`Skipped dependency: ${edge}`)
  return lines
}

function skippedEdges(report: ImportReport): string[] {
  return report.skippedDependencies.map(({ edge, why }) => {
    const missing = why.kind === 'unknown' && why.id === edge.depends_on_id
    return `${edge.issue_id} -> ${edge.depends_on_id}: ${missing ? 'target not found' : refusalText(edge, why)}`
  })
}
