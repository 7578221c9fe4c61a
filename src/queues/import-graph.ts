import { isHolding, isScheduling } from '../domain/task/dependency.ts'
import type { NewDependency } from '../ports/queue.ts'
import type { Neighbourhood, TypedEdge } from './edge-rules.ts'

/** The edges that decide about readiness, in memory: an import judges each new edge by them, without asking the store. */
export class ImportGraph implements Neighbourhood {
  readonly #tasks: ReadonlySet<string>
  readonly #parents = new Map<string, string[]>()
  readonly #children = new Map<string, string[]>()
  readonly #scheduling = new Map<string, string[]>()
  readonly #holding = new Map<string, string[]>()

  /** `edges`: those in the store that schedule. */
  constructor(tasks: ReadonlySet<string>, edges: readonly TypedEdge[]) {
    this.#tasks = tasks
    for (const edge of edges) this.add(edge)
  }

  add({ issue_id: id, depends_on_id: on, type }: TypedEdge): void {
    if (isScheduling(type)) put(this.#scheduling, id, on)
    if (isHolding(type)) put(this.#holding, id, on)
    if (type !== 'parent-child') return
    put(this.#parents, id, on)
    put(this.#children, on, id)
  }

  has(id: string): boolean {
    return this.#tasks.has(id)
  }

  parents(id: string): readonly string[] {
    return this.#parents.get(id) ?? []
  }

  schedulingTargets(id: string): readonly string[] {
    return [...(this.#scheduling.get(id) ?? [])].sort()
  }

  waitsForAbove({ issue_id, depends_on_id }: NewDependency) {
    const above = closure(depends_on_id, this.#parents)
    const held = [...closure(issue_id, this.#children)].flatMap((task) =>
      (this.#holding.get(task) ?? []).flatMap((ancestor) => (above.has(ancestor) ? [{ task, ancestor }] : [])),
    )
    return held.sort((a, b) => compare(a.task, b.task) || compare(a.ancestor, b.ancestor))[0]
  }
}

function put(edges: Map<string, string[]>, from: string, to: string): void {
  const list = edges.get(from)
  if (list === undefined) edges.set(from, [to])
  else list.push(to)
}

function closure(from: string, next: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const seen = new Set([from])
  for (const id of seen) for (const each of next.get(id) ?? []) seen.add(each)
  return seen
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
