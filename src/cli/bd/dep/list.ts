import type { Dependency } from '../../../domain/task/dependency.ts'
import { edgeLine } from '../../../domain/task/interchange.ts'
import type { Task } from '../../../domain/task/task.ts'
import { plainLine } from '../../../domain/text/plain.ts'
import { issueJson } from '../../../views/json/issue.ts'
import { type BdCall, type BdCommand, BdFailure } from '../command.ts'
import { atLeast } from '../parts/arguments.ts'
import { resolveSaying } from '../parts/resolve.ts'

export const depList: BdCommand = {
  name: 'list',
  summary: 'List dependencies or dependents of one or more issues',
  usage: '[issue-id...] [flags]',
  about: `List what tasks depend on, or with --direction=up what depends on them.

With several ids, the answer for 'down' is a flat list of edges.`,
  flags: [
    { name: 'direction', kind: 'text', default: 'down', help: "'down' (dependencies), 'up' (dependents)" },
    { name: 'type', short: 't', kind: 'text', help: 'Filter by dependency type (e.g., tracks, blocks, parent-child)' },
  ],
  reads: true,
  async run(call) {
    const typed = atLeast(call, 1)
    const direction = call.flags.text('direction') === 'up' ? 'up' : 'down'
    const ids = typed.length === 1 ? [await only(call, typed[0] as string)] : await those(call, typed)
    if (ids.length === 0) return call.json ? call.answer([]) : call.warn('no resolvable issues in batch')
    if (typed.length > 1 && direction === 'down') return await listEdges(call, ids)
    await listTasks(call, ids, direction)
  },
}

async function only(call: BdCall, text: string): Promise<string> {
  return await resolveSaying(call, text, `resolving ${text}`)
}

/** With several ids, unknown ones are skipped with a warning. */
async function those(call: BdCall, texts: readonly string[]): Promise<string[]> {
  const ids = new Set<string>()
  for (const text of texts) {
    try {
      ids.add(await only(call, text))
    } catch (error) {
      if (!(error instanceof BdFailure)) throw error
      call.warn(`warning: ${error.message} (skipped)`)
    }
  }
  return [...ids]
}

async function listEdges(call: BdCall, ids: readonly string[]): Promise<void> {
  const all = await edgesOf(call, ids, 'down')
  const byTask = ids.map((id) => ({ id, edges: all.filter((edge) => edge.issue_id === id).sort(byTarget) }))
  if (call.json) return call.answer(byTask.flatMap(({ edges }) => edges.map(edgeLine)))
  for (const { id, edges } of byTask) {
    if (edges.length === 0) call.print(`\n${id} has no dependencies`)
    else call.print(`\n📋 Dependencies of ${id}:\n`)
    for (const edge of edges) call.print(`  ${edge.depends_on_id} via ${edge.type}`)
  }
  call.print('')
}

interface Related {
  readonly task: Task
  readonly type: string
}

async function listTasks(call: BdCall, ids: readonly string[], direction: 'down' | 'up'): Promise<void> {
  const related: Related[] = []
  for (const id of ids) related.push(...(await relatedTo(call, id, direction)))
  if (ids.length === 1 && direction === 'down') await warnOfElsewhere(call, ids[0] as string, related)
  if (call.json) return call.answer(related.map(({ task, type }) => ({ ...issueJson(task), dependency_type: type })))
  if (related.length === 0) {
    const one = direction === 'up' ? `No issues depend on ${ids[0]}` : `${ids[0]} has no dependencies`
    return call.print(`\n${ids.length === 1 ? one : 'No dependencies found'}`)
  }
  for (const { task, type } of related) {
    call.print(`  ${task.id}: ${plainLine(task.title)} [P${task.priority}] (${task.status}) via ${type}`)
  }
  call.print('')
}

async function relatedTo(call: BdCall, id: string, direction: 'down' | 'up'): Promise<Related[]> {
  const edges = await edgesOf(call, [id], direction)
  const otherEnd = (edge: Dependency) => (direction === 'down' ? edge.depends_on_id : edge.issue_id)
  const tasks = new Map<string, Task>()
  for await (const task of call.store.find({ ids: edges.map(otherEnd) })) tasks.set(task.id, task)
  return edges
    .flatMap((edge) => {
      const task = tasks.get(otherEnd(edge))
      return task === undefined ? [] : [{ task, type: edge.type }]
    })
    .sort((a, b) => (a.task.id < b.task.id ? -1 : 1))
}

async function warnOfElsewhere(call: BdCall, id: string, shown: readonly Related[]): Promise<void> {
  const known = new Set(shown.map(({ task }) => task.id))
  const edges = await edgesOf(call, [id], 'down')
  const rest = edges.filter((edge) => !known.has(edge.depends_on_id)).sort(byTarget)
  if (rest.length === 0) return
  call.warn(
    `warning: ${id} has ${rest.length} additional dependency edge(s) whose target has no row in this database (cross-repo/external) and are not shown above:`,
  )
  for (const edge of rest) call.warn(`  ${edge.depends_on_id} via ${edge.type}`)
  call.warn(`For raw edge records, run: bd dep list ${id} ${id}`)
}

async function edgesOf(call: BdCall, ids: readonly string[], direction: 'down' | 'up'): Promise<Dependency[]> {
  const type = call.flags.text('type') ?? ''
  const edges = await call.store.edges(ids, direction)
  return edges.filter((edge) => type === '' || edge.type === type)
}

function byTarget(a: Dependency, b: Dependency): number {
  return a.depends_on_id < b.depends_on_id ? -1 : 1
}
