import { CITING_FIELDS, citationOf } from '../../../domain/task/citation.ts'
import type { Dependency } from '../../../domain/task/dependency.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { type BdCall, BdFailure } from '../command.ts'
import type { DeletionPlan } from '../commands/delete.ts'

interface How {
  /** One issue without --cascade is shown with its links. */
  readonly single: boolean
  readonly cascade: boolean
}

/** Shows what a deletion would do, or why it would be refused. Writes nothing. */
export async function previewDeletion(call: BdCall, plan: DeletionPlan, how: How): Promise<void> {
  const refused =
    plan.needed === undefined || call.flags.on('force')
      ? undefined
      : `issue ${plan.needed} has dependents not in deletion set; use --cascade to delete them or --force to orphan them`
  if (call.json) answer(call, plan, { ...how, refused, counts: await count(call, plan) })
  else if (!call.quiet) {
    if (how.single && refused === undefined) await showSingle(call, plan)
    else await showMany(call, plan, { ...how, refused })
  }
  if (refused === undefined) return
  throw new BdFailure(how.single && !call.json ? `previewing deletion: ${refused}` : refused, { json: 'stderr' })
}

interface Counts {
  readonly links: readonly Dependency[]
  readonly labels: number
}

async function count({ store }: BdCall, plan: DeletionPlan): Promise<Counts> {
  const down = await store.edges(plan.ids, 'down')
  const inside = new Set(plan.ids)
  const up = (await store.edges(plan.ids, 'up')).filter((edge) => !inside.has(edge.issue_id))
  let labels = 0
  for (const id of plan.ids) labels += (await store.get(id))?.labels.length ?? 0
  return { links: [...down, ...up], labels }
}

function answer(
  call: BdCall,
  plan: DeletionPlan,
  { cascade, refused, counts }: How & { refused: string | undefined; counts: Counts },
): void {
  const issue_ids = plan.tasks.map((task) => task.id)
  const preview = { preview: true, dry_run: call.flags.on('dry-run'), issue_ids, cascade }
  const would = {
    would_delete: plan.ids.length,
    would_remove_dependencies: counts.links.length,
    would_remove_labels: counts.labels,
    would_remove_events: 0,
    would_orphan: plan.orphaned.length,
  }
  call.answer({ ...preview, ...(refused === undefined ? would : { error: refused }) })
}

async function showSingle(call: BdCall, plan: DeletionPlan): Promise<void> {
  const [task] = plan.tasks
  if (task === undefined) return
  const { links } = await count(call, plan)
  call.print(`\n⚠️  DELETE PREVIEW\n\nIssue to delete:\n  ${task.id}: ${plainLine(task.title)}`)
  if (links.length > 0) {
    call.print(`\nDependency links to remove: ${links.length}`)
    for (const edge of links) {
      const kind = edge.issue_id === task.id ? edge.type : 'inbound'
      call.print(`  ${edge.issue_id} → ${edge.depends_on_id} (${kind})`)
    }
    call.print('\nConnected issues where text references will be updated:')
    const citing = await citingNeighbours(call, task.id, links)
    for (const line of citing.length === 0 ? ['  (none have text references)'] : citing) call.print(line)
  }
  if (call.flags.on('dry-run')) return await showCounts(call, plan)
  call.print(`\nThis operation cannot be undone!\nTo proceed, run: bd delete ${task.id} --force\n`)
}

async function citingNeighbours(call: BdCall, id: string, links: readonly Dependency[]): Promise<string[]> {
  const neighbours = new Set(links.flatMap((edge) => [edge.issue_id, edge.depends_on_id]))
  neighbours.delete(id)
  const lines: string[] = []
  for (const neighbour of neighbours) {
    const task = await call.store.get(neighbour)
    if (task === undefined) continue
    if (CITING_FIELDS.some((field) => citationOf(id).test(task[field])))
      lines.push(`  ${task.id}: ${plainLine(task.title)}`)
  }
  return lines
}

async function showMany(
  call: BdCall,
  plan: DeletionPlan,
  { cascade, refused }: How & { refused: string | undefined },
): Promise<void> {
  call.print(`\n⚠️  DELETE PREVIEW\n\nIssues to delete (${plan.tasks.length}):`)
  for (const task of plan.tasks) call.print(`  ${task.id}: ${plainLine(task.title)}`)
  if (cascade) call.print('\n⚠ Cascade mode enabled - will also delete all dependent issues')
  if (refused !== undefined) return call.print(`\n${refused}`)
  await showCounts(call, plan)
  if (call.flags.on('dry-run')) return
  const ids = plan.tasks.map((task) => task.id).join(' ')
  const proceed = cascade
    ? `To proceed with cascade deletion, run: bd delete ${ids} --cascade --force`
    : `To proceed, run: bd delete ${ids} --force`
  call.print(`\nThis operation cannot be undone!\n${proceed}`)
}

async function showCounts(call: BdCall, plan: DeletionPlan): Promise<void> {
  const { links, labels } = await count(call, plan)
  call.print(`\nWould delete: ${plan.ids.length} issues`)
  call.print(`Would remove: ${links.length} dependencies, ${labels} labels, 0 events`)
  if (plan.orphaned.length > 0) call.print(`Would orphan: ${plan.orphaned.length} issues`)
  if (call.flags.on('dry-run')) call.print('\n(Dry-run mode - no changes made)')
}
