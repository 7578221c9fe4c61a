/** Directed graphs of ids. Nothing here recurses, so a chain of 100,000 nodes does not overflow the stack. */

export interface Edge {
  readonly from: string
  readonly to: string
}

/**
 * Tarjan's strongly connected components. Two nodes have the same number exactly when each can reach the other, so an edge
 * is part of a cycle when both its ends have the same number.
 */
export function components(edges: Iterable<Edge>): ReadonlyMap<string, number> {
  const next = adjacency(edges)
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const component = new Map<string, number>()
  const open: string[] = []
  let found = 0
  for (const root of next.keys()) {
    if (order.has(root)) continue
    const path: { node: string; at: number }[] = []
    const enter = (node: string): void => {
      order.set(node, order.size)
      low.set(node, order.get(node) as number)
      open.push(node)
      path.push({ node, at: 0 })
    }
    enter(root)
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const to = next.get(step.node)?.[step.at++]
      if (to !== undefined) {
        if (!order.has(to)) enter(to)
        else if (!component.has(to)) lower(low, step.node, order.get(to) as number)
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent !== undefined) lower(low, parent.node, low.get(step.node) as number)
      if (low.get(step.node) !== order.get(step.node)) continue
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component.set(member, found)
        if (member === step.node) break
      }
      found++
    }
  }
  return component
}

/** A shortest path, both ends included, or undefined. `next` may query a database. */
export function pathBetween(from: string, to: string, next: (node: string) => Iterable<string>): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]])
  const pending = [from]
  for (let i = 0; i < pending.length; i++) {
    const node = pending[i] as string
    if (node === to) {
      const path: string[] = []
      for (let step: string | undefined = node; step !== undefined; step = cameFrom.get(step)) path.unshift(step)
      return path
    }
    for (const other of next(node)) {
      if (cameFrom.has(other)) continue
      cameFrom.set(other, node)
      pending.push(other)
    }
  }
  return undefined
}

/** One cycle per cyclic component, starting at its lowest id. The cycles are sorted. */
export function cycles(edges: readonly Edge[]): string[][] {
  const component = components(edges)
  const inside = edges.filter((edge) => component.get(edge.from) === component.get(edge.to))
  const next = adjacency(inside)
  const seen = new Set<number>()
  const found: string[][] = []
  for (const node of [...next.keys()].sort()) {
    const number = component.get(node) as number
    if (seen.has(number)) continue
    for (const first of [...(next.get(node) ?? [])].sort()) {
      const back = pathBetween(first, node, (each) => [...(next.get(each) ?? [])].sort())
      if (back === undefined) continue
      seen.add(number)
      found.push([node, ...back.slice(0, -1)])
      break
    }
  }
  return found
}

function lower(low: Map<string, number>, node: string, value: number): void {
  if (value < (low.get(node) as number)) low.set(node, value)
}

function adjacency(edges: Iterable<Edge>): Map<string, string[]> {
  const next = new Map<string, string[]>()
  for (const { from, to } of edges) {
    const list = next.get(from)
    if (list === undefined) next.set(from, [to])
    else list.push(to)
  }
  return next
}
