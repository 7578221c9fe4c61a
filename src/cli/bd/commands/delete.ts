import { ambiguity } from '../../../domain/task/ambiguous-id.ts'
import type { Task } from '../../../domain/task/task.ts'
import type { RemoveResult } from '../../../ports/task-store.ts'
import { forgetTaskFile } from '../../../store/task-file.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { previewDeletion } from '../parts/delete-preview.ts'
import { refuseReadonly } from '../parts/exclusive.ts'
import { inText } from '../parts/issue-input.ts'
import { hintOf } from '../parts/resolve.ts'
import { readFileText } from '../parts/text-input.ts'

export const remove: BdCommand = {
  name: 'delete',
  summary: 'Delete one or more issues and clean up references',
  usage: '<issue-id> [issue-id...] [flags]',
  about: `Delete one or more issues: their dependencies, labels and comments go with them, and issues they were connected
to say [deleted:ID] where they cited them. Without --force this is a preview. The record of changes stays.

An issue that others depend on is refused; --cascade deletes those too, --force leaves them.`,
  flags: [
    { name: 'force', short: 'f', kind: 'switch', help: 'Actually delete (without this flag, shows preview)' },
    { name: 'from-file', kind: 'text', value: 'file', help: 'Read issue IDs from file (one per line)' },
    { name: 'dry-run', kind: 'switch', help: 'Preview what would be deleted without making changes' },
    { name: 'cascade', kind: 'switch', help: 'Recursively delete all dependent issues' },
  ],
  async run(call) {
    refuseReadonly(call, 'delete')
    const { flags } = call
    const given = [...new Set([...call.args, ...idsFromFile(call)])]
    if (given.length === 0) {
      throw new BdFailure('no issue IDs provided', { json: 'text', hint: 'fleet bd delete <issue-id> [issue-id...]' })
    }
    const cascade = flags.on('cascade')
    const single = given.length === 1 && !cascade
    const tasks = await find(call, given, single)
    const plan = await planDeletion(call, tasks, cascade)
    if (!flags.on('force') || flags.on('dry-run')) return previewDeletion(call, plan, { single, cascade })
    const result = await call.store.remove(plan.ids, call.actor)
    for (const id of result.removed) forgetTaskFile(call.home, id)
    const deleted = { plan, result, single }
    return call.json ? answer(call, deleted) : say(call, deleted)
  },
}

export interface DeletionPlan {
  readonly tasks: readonly Task[]
  /** The named tasks; with --cascade also every task that depends on them. */
  readonly ids: readonly string[]
  /** Tasks that lose a dependency, by id. */
  readonly orphaned: readonly string[]
  /** The first named task that others depend on. */
  readonly needed: string | undefined
}

async function planDeletion(call: BdCall, tasks: readonly Task[], cascade: boolean): Promise<DeletionPlan> {
  const named = tasks.map((task) => task.id)
  const ids = new Set(named)
  for (let next = cascade ? named : []; next.length > 0; ) {
    const dependents = (await call.store.edges(next, 'up')).map((edge) => edge.issue_id)
    next = [...new Set(dependents)].filter((id) => !ids.has(id))
    for (const id of next) ids.add(id)
  }
  const outside = (await call.store.edges(named, 'up')).filter((edge) => !ids.has(edge.issue_id))
  return {
    tasks,
    ids: [...ids],
    orphaned: [...new Set(outside.map((edge) => edge.issue_id))].sort(),
    needed: named.find((id) => outside.some((edge) => edge.depends_on_id === id)),
  }
}

async function find(call: BdCall, given: readonly string[], single: boolean): Promise<Task[]> {
  const tasks = new Map<string, Task>()
  const missing: string[] = []
  let hint: string | undefined
  for (const text of given) {
    const match = await call.store.resolve(text)
    if (match.kind === 'ambiguous') {
      const why = ambiguity(text, match.ids)
      throw inText(single ? why : `getting issue ${text}: ${why}`)
    }
    if (match.kind === 'unknown') {
      missing.push(text)
      hint ??= hintOf(match.near).hint
      continue
    }
    const task = await call.store.get(match.id)
    if (task !== undefined) tasks.set(task.id, task)
  }
  if (missing.length === 0) return [...tasks.values()]
  const message = single ? `issue ${missing[0]} not found` : `issues not found: ${missing.join(', ')}`
  throw new BdFailure(message, { json: 'text', ...(hint === undefined ? {} : { hint }) })
}

function idsFromFile(call: BdCall): string[] {
  const path = call.flags.text('from-file') ?? ''
  if (path === '') return []
  const read = readFileText(call, path)
  if (read.problem !== undefined) throw inText(`reading file: ${read.problem}`)
  const lines = read.text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}

interface Deleted {
  readonly plan: DeletionPlan
  readonly result: RemoveResult
  readonly single: boolean
}

/** `events_removed` is always 0: fleet keeps the history of deleted tasks. */
function answer(call: BdCall, { plan, result, single }: Deleted): void {
  const named = plan.tasks.map((task) => task.id)
  const counts = { dependencies_removed: result.dependencies, references_updated: result.references }
  const orphaned = plan.orphaned.length === 0 ? null : plan.orphaned
  const more = { labels_removed: result.labels, events_removed: 0, orphaned_issues: orphaned }
  if (single) call.answer({ deleted: named[0], ...counts })
  else call.answer({ deleted: named, deleted_count: result.removed.length, ...counts, ...more })
}

function say(call: BdCall, { plan, result, single }: Deleted): void {
  const named = plan.tasks.map((task) => task.id)
  call.print(single ? `✓ Deleted ${named[0]}` : `✓ Deleted ${result.removed.length} issue(s)`)
  call.print(`  Removed ${result.dependencies} dependency link(s)`)
  if (!single) call.print(`  Removed ${result.labels} label(s)\n  Removed 0 event(s)`)
  call.print(`  Updated text references in ${result.references} issue(s)`)
  if (!single && plan.orphaned.length > 0) {
    call.print(`  ⚠ Orphaned ${plan.orphaned.length} issue(s): ${plan.orphaned.join(', ')}`)
  }
}
