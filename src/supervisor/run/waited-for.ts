import { isHolding } from '../../domain/task/dependency.ts'
import type { Queue } from '../../ports/queue.ts'

/**
 * The tasks that this one had to wait for: those it depends on, the children it waited for, and the same of its parents,
 * whose block it inherits. Settled or not; the nearest first, each once.
 */
export async function waitedFor(store: Pick<Queue, 'edges'>, task: string): Promise<readonly string[]> {
  const found = new Set<string>()
  const looked = new Set<string>()
  for (let level = [task]; level.length > 0; ) {
    for (const id of level) looked.add(id)
    const edges = await store.edges(level, 'down')
    const targets = (type: string) => edges.filter((edge) => edge.type === type).map((edge) => edge.depends_on_id)
    for (const edge of edges) if (isHolding(edge.type)) found.add(edge.depends_on_id)
    const gates = targets('waits-for')
    for (const id of gates) found.add(id)
    for (const edge of await store.edges(gates, 'up')) if (edge.type === 'parent-child') found.add(edge.issue_id)
    level = [...new Set(targets('parent-child'))].filter((id) => !looked.has(id))
  }
  found.delete(task)
  return [...found]
}
