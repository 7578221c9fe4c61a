import { type Dependency, isHolding, isScheduling } from '../domain/task/dependency.ts'
import { components, type Edge, pathBetween } from '../domain/task/graph.ts'
import { isTaskId, prefixOf } from '../domain/task/id.ts'
import type { AddDependencyResult, NewDependency } from '../ports/queue.ts'

/** The part of the graph needed to judge a new edge. A store may query each answer or load all of them at once. */
export interface Neighbourhood {
  has(id: string): boolean
  parents(id: string): readonly string[]
  /** Targets of the task's scheduling edges, sorted by id. A cycle of such edges would never become ready. */
  schedulingTargets(id: string): readonly string[]
  /** A task at or below the new child that waits for a task at or above the new parent. */
  waitsForAbove(edge: NewDependency): { readonly task: string; readonly ancestor: string } | undefined
}

export type EdgeRefusal = Exclude<AddDependencyResult, { kind: 'added' | 'already' | 'other-type' }>

/** The cases that a look at the whole graph has shown to be possible for an edge; the others need no search. */
export interface Suspicion {
  /** A cycle of scheduling edges through it. */
  readonly cycle: boolean
  /** A task that waits for its own ancestor or descendant, because of it. */
  readonly kin: boolean
}

/** Nothing is known about the graph. */
export function anySuspicion({ type }: NewDependency): Suspicion {
  return { cycle: isScheduling(type), kin: true }
}

/** Why the graph does not allow this edge. */
export function edgeRefusal(
  edge: NewDependency,
  graph: Neighbourhood,
  suspicion = anySuspicion(edge),
): EdgeRefusal | undefined {
  const { issue_id: id, depends_on_id: on } = edge
  if (!graph.has(id)) return { kind: 'unknown', id }
  const here = graph.has(on)
  if (!here && !isElsewhere(id, on)) return { kind: 'unknown', id: on }
  if (id === on) return { kind: 'itself' }
  const kin = here && suspicion.kin ? (hierarchyRefusal(edge, graph) ?? newParentRefusal(edge, graph)) : undefined
  if (kin !== undefined) return kin
  if (!suspicion.cycle) return undefined
  const path = pathBetween(on, id, (each) => graph.schedulingTargets(each))
  return path === undefined ? undefined : { kind: 'cycle', path: [id, ...path] }
}

/** A task or capability of another project. It is not stored here, so it never blocks anything. */
function isElsewhere(id: string, on: string): boolean {
  return on.startsWith('external:') || (isTaskId(on) && prefixOf(on) !== prefixOf(id))
}

/** A task that blocks its own ancestor or descendant could never be unblocked. */
function hierarchyRefusal(edge: NewDependency, graph: Neighbourhood): EdgeRefusal | undefined {
  if (!isHolding(edge.type)) return undefined
  const above = (id: string) => graph.parents(id)
  if (pathBetween(edge.issue_id, edge.depends_on_id, above) !== undefined) return { kind: 'own-parent' }
  if (pathBetween(edge.depends_on_id, edge.issue_id, above) !== undefined) return { kind: 'own-child' }
  return undefined
}

/**
 * The same rule for a new parent: it must not put a task below one that the task waits for. The reverse, an ancestor that
 * waits for its new descendant, is a cycle and is found as one.
 */
function newParentRefusal(edge: NewDependency, graph: Neighbourhood): EdgeRefusal | undefined {
  if (edge.type !== 'parent-child') return undefined
  const held = graph.waitsForAbove(edge)
  return held === undefined ? undefined : { kind: 'waits-for-ancestor', ...held }
}

/** Parents first, so that blocking edges are judged against the whole hierarchy. */
export function parentsFirst<E extends NewDependency>(edges: readonly E[]): E[] {
  const isParent = (edge: E) => edge.type === 'parent-child'
  return [...edges.filter(isParent), ...edges.filter((edge) => !isParent(edge))]
}

/** An edge that schedules, with its type. */
export type TypedEdge = Pick<Dependency, 'issue_id' | 'depends_on_id' | 'type'>

/**
 * Searching the graph once per edge is quadratic for a long chain. Two passes over the graph with all new edges in place
 * find the few that need it. A cycle lies within one component of the scheduling edges. So does a task that waits for its
 * descendant: down by waiting, up by parents. A task that waits for its ancestor makes a cycle once the waiting is turned
 * around: up by parents, back down to the task. `existing`: the scheduling edges in the store.
 */
export function suspects(
  edges: readonly Dependency[],
  existing: () => readonly TypedEdge[],
): (edge: Dependency) => Suspicion {
  const added = edges.filter((edge) => isScheduling(edge.type))
  if (added.length === 0) return () => ({ cycle: false, kin: false })
  const all = [...existing(), ...added]
  const forward = components(all.map(along))
  const turned = components(all.map((edge) => (isHolding(edge.type) ? against(edge) : along(edge))))
  return (edge) => {
    if (!isScheduling(edge.type)) return { cycle: false, kin: false }
    const cycle = isWithin(forward, edge)
    return { cycle, kin: cycle || isWithin(turned, edge) }
  }
}

function along({ issue_id, depends_on_id }: TypedEdge): Edge {
  return { from: issue_id, to: depends_on_id }
}

function against({ issue_id, depends_on_id }: TypedEdge): Edge {
  return { from: depends_on_id, to: issue_id }
}

function isWithin(component: ReadonlyMap<string, number>, { issue_id, depends_on_id }: TypedEdge): boolean {
  return component.get(issue_id) === component.get(depends_on_id)
}
