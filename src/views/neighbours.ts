import type { Task } from '../domain/task/task.ts'
import type { TaskStore } from '../ports/task-store.ts'

/** A task at the other end of an edge. */
export interface Neighbour {
  readonly task: Task
  readonly type: string
}

/** Oldest edge first. Edges to other queues (`external:…`) have no task here and are omitted, as in bd. */
export async function neighboursOf(store: TaskStore, id: string, direction: 'down' | 'up'): Promise<Neighbour[]> {
  const edges = await store.edges([id], direction)
  const other = (edge: (typeof edges)[number]) => (direction === 'down' ? edge.depends_on_id : edge.issue_id)
  const tasks = new Map<string, Task>()
  if (edges.length > 0) for await (const task of store.find({ ids: edges.map(other) })) tasks.set(task.id, task)
  return edges.flatMap((edge) => {
    const task = tasks.get(other(edge))
    return task === undefined ? [] : [{ task, type: edge.type }]
  })
}
