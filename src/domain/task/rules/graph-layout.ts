import type { Dependency } from '../dependency.ts'
import type { Task } from '../task.ts'

/** Tasks in the order in which they can be done, and the edges among them. */
export interface TaskGraph {
  /** The task it was asked for; of a whole component the first one. */
  readonly root: string
  readonly tasks: ReadonlyMap<string, Task>
  readonly edges: readonly Dependency[]
  /** Ids by layer: a task stands above everything that blocks it. Sorted within a layer. */
  readonly layers: readonly (readonly string[])[]
}

export function layOut(root: string, all: readonly Task[], edges: readonly Dependency[]): TaskGraph {
  const tasks = new Map(all.map((task) => [task.id, task]))
  const inside = edges.filter((edge) => tasks.has(edge.issue_id) && tasks.has(edge.depends_on_id))
  const layer = layersOf([...tasks.keys()], inside)
  const most = Math.max(0, ...layer.values())
  const layers = Array.from({ length: most + 1 }, (_, i) =>
    [...tasks.keys()].filter((id) => layer.get(id) === i).sort(),
  )
  return { root, tasks, edges: inside, layers }
}

/** The length of the longest chain of blockers below each task. A task in a cycle, or above one, stands at the bottom. */
function layersOf(ids: readonly string[], edges: readonly Dependency[]): Map<string, number> {
  const blockers = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const { issue_id, depends_on_id, type } of edges)
    if (type === 'blocks') blockers.get(issue_id)?.push(depends_on_id)
  const layer = new Map<string, number>()
  for (let grew = true; grew; ) {
    grew = false
    for (const id of ids) {
      const below = blockers.get(id) ?? []
      if (layer.has(id) || !below.every((each) => layer.has(each))) continue
      layer.set(id, Math.max(-1, ...below.map((each) => layer.get(each) ?? 0)) + 1)
      grew = true
    }
  }
  for (const id of ids) if (!layer.has(id)) layer.set(id, 0)
  liftChildren(layer, edges)
  return layer
}

/** A child stands no lower than its parent: it cannot start before the parent may. */
function liftChildren(layer: Map<string, number>, edges: readonly Dependency[]): void {
  const families = edges.filter((edge) => edge.type === 'parent-child')
  // A chain of parents is no longer than the number of edges; a cycle of them would lift for ever.
  for (let round = 0, lifted = true; lifted && round <= families.length; round++) {
    lifted = false
    for (const { issue_id, depends_on_id } of families) {
      const parent = layer.get(depends_on_id) ?? 0
      if ((layer.get(issue_id) ?? 0) >= parent) continue
      layer.set(issue_id, parent)
      lifted = true
    }
  }
}
