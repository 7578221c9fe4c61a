import { type Dependency, isHolding, isScheduling } from '../domain/task/dependency.ts'
import { components, type Edge, pathBetween } from '../domain/task/graph.ts'
import { isTaskId, prefixOf } from '../domain/task/id.ts'
import type { AddDependencyResult, NewDependency } from '../ports/queue.ts'

/** As much of the graph as it takes to judge a new edge. A store may ask its database for each, or have them at hand. */
export interface Neighbourhood {
  has(id: string): boolean
  parents(id: string): readonly string[]
  /** What a task depends on by edges of which a cycle would never clear, by id. */
  schedulingTargets(id: string): readonly string[]
  /** A task at or below the new child that waits for one at or above its new parent. */
  waitsForAbove(edge: NewDependency): { readonly task: string; readonly ancestor: string } | undefined
}

export type EdgeRefusal = Exclude<AddDependencyResult, { kind: 'added' | 'already' | 'other-type' }>

/** Why this edge may not be, in the graph as it stands. `mayClose`: whether a cycle through it is possible at all. */
export function edgeRefused(
  edge: NewDependency,
  graph: Neighbourhood,
  mayClose = isScheduling(edge.type),
): EdgeRefusal | undefined {
  const { issue_id: id, depends_on_id: on } = edge
  if (!graph.has(id)) return { kind: 'unknown', id }
  const here = graph.has(on)
  if (!here && !isElsewhere(id, on)) return { kind: 'unknown', id: on }
  if (id === on) return { kind: 'itself' }
  const kin = here ? (kinship(edge, graph) ?? newKinship(edge, graph)) : undefined
  if (kin !== undefined) return kin
  if (!mayClose) return undefined
  const path = pathBetween(on, id, (each) => graph.schedulingTargets(each))
  return path === undefined ? undefined : { kind: 'cycle', path: [id, ...path] }
}

/** A task of another project, or a capability of one: named but not kept here, so it never holds anything up. */
function isElsewhere(id: string, on: string): boolean {
  return on.startsWith('external:') || (isTaskId(on) && prefixOf(on) !== prefixOf(id))
}

/** A block between a task and what lies above or below it could never clear. */
function kinship(edge: NewDependency, graph: Neighbourhood): EdgeRefusal | undefined {
  if (!isHolding(edge.type)) return undefined
  const above = (id: string) => graph.parents(id)
  if (pathBetween(edge.issue_id, edge.depends_on_id, above) !== undefined) return { kind: 'own-parent' }
  if (pathBetween(edge.depends_on_id, edge.issue_id, above) !== undefined) return { kind: 'own-child' }
  return undefined
}

/**
 * The same rule seen from the other side: a new parent may not bring a task below one that it waits for. An ancestor
 * that waits for what comes below it closes a cycle, and is found as one.
 */
function newKinship(edge: NewDependency, graph: Neighbourhood): EdgeRefusal | undefined {
  if (edge.type !== 'parent-child') return undefined
  const held = graph.waitsForAbove(edge)
  return held === undefined ? undefined : { kind: 'waits-for-ancestor', ...held }
}

/** The hierarchy comes first, so that a block is judged against all of it. */
export function parentsFirst<E extends NewDependency>(edges: readonly E[]): E[] {
  const isParent = (edge: E) => edge.type === 'parent-child'
  return [...edges.filter(isParent), ...edges.filter((edge) => !isParent(edge))]
}

/**
 * Walking the graph for each of many edges would cost the square of a long chain. One look at the whole of it, as it
 * would be with every new edge, tells which of them can close a cycle at all: hardly ever any. `there`: the scheduling
 * edges there are.
 */
export function cycleSuspects(
  edges: readonly Dependency[],
  there: () => readonly Edge[],
): (edge: Dependency) => boolean {
  const added = edges.filter((edge) => isScheduling(edge.type))
  if (added.length === 0) return () => false
  const all = [...there(), ...added.map((edge) => ({ from: edge.issue_id, to: edge.depends_on_id }))]
  const component = components(all)
  return (edge) => isScheduling(edge.type) && component.get(edge.issue_id) === component.get(edge.depends_on_id)
}
