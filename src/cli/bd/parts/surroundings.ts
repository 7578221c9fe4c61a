import type { Task } from '../../../domain/task/task.ts'
import type { ListedTask, TaskStore } from '../../../ports/task-store.ts'
import type { Surroundings } from '../../render/bd/issue.ts'

/** Parent, open blockers and blocked tasks of each task. Two queries, however many tasks there are. */
export async function surroundingsOf(
  store: TaskStore,
  tasks: readonly ListedTask[],
): Promise<(task: Task) => Surroundings> {
  const closed = await closedAmong(
    store,
    new Set(tasks.flatMap((task) => task.dependencies.map((edge) => edge.depends_on_id))),
  )
  const open = tasks.filter((task) => task.status !== 'closed').map((task) => task.id)
  const blocks = new Map<string, string[]>()
  for (const edge of await store.edges(open, 'up')) {
    if (edge.type !== 'blocks') continue
    const ids = blocks.get(edge.depends_on_id) ?? []
    ids.push(edge.issue_id)
    blocks.set(edge.depends_on_id, ids)
  }
  const byId = new Map(tasks.map((task) => [task.id, task]))
  return ({ id }) => {
    const edges = (byId.get(id)?.dependencies ?? []).filter((edge) => !closed.has(edge.depends_on_id))
    const parent = edges.find((edge) => edge.type === 'parent-child')?.depends_on_id
    return {
      ...(parent === undefined ? {} : { parent }),
      blockedBy: edges.filter((edge) => edge.type === 'blocks').map((edge) => edge.depends_on_id),
      blocks: blocks.get(id) ?? [],
    }
  }
}

async function closedAmong(store: TaskStore, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const closed = new Set<string>()
  if (ids.size === 0) return closed
  for await (const task of store.find({ ids: [...ids], statuses: ['closed'] })) closed.add(task.id)
  return closed
}
