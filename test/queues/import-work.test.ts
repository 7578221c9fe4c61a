import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Dependency } from '../../src/domain/task/dependency.ts'
import { isHolding, isScheduling } from '../../src/domain/task/dependency.ts'
import { edgeRefusal, type Neighbourhood, parentsFirst, type Suspicion, suspects } from '../../src/queues/edge-rules.ts'
import { parentsLast } from '../../src/queues/import-plan.ts'

const edge = (issue_id: string, depends_on_id: string, type: string): Dependency => ({
  issue_id,
  depends_on_id,
  type,
  created_at: '',
  created_by: '',
  metadata: '',
  thread_id: '',
})

/** A graph in memory that counts the tasks that are looked at. */
class Graph implements Neighbourhood {
  readonly edges: Dependency[]
  looked = 0

  constructor(edges: readonly Dependency[]) {
    this.edges = [...edges]
  }

  has = () => true

  parents(id: string): string[] {
    return this.#targets(id, (type) => type === 'parent-child')
  }

  schedulingTargets(id: string): string[] {
    return this.#targets(id, isScheduling).sort()
  }

  waitsForAbove({ issue_id, depends_on_id }: { issue_id: string; depends_on_id: string }) {
    const above = this.#closure(depends_on_id, (id) => this.parents(id))
    const children = (id: string) =>
      this.edges
        .filter((each) => each.depends_on_id === id && each.type === 'parent-child')
        .map((each) => each.issue_id)
    const below = this.#closure(issue_id, children)
    const held = this.edges.find(
      (each) => isHolding(each.type) && below.has(each.issue_id) && above.has(each.depends_on_id),
    )
    return held === undefined ? undefined : { task: held.issue_id, ancestor: held.depends_on_id }
  }

  #targets(id: string, wanted: (type: string) => boolean): string[] {
    this.looked++
    return this.edges.filter((each) => each.issue_id === id && wanted(each.type)).map((each) => each.depends_on_id)
  }

  #closure(from: string, next: (id: string) => readonly string[]): Set<string> {
    const seen = new Set([from])
    for (const id of seen) {
      this.looked++
      for (const each of next(id)) seen.add(each)
    }
    return seen
  }
}

/** The edges that an import adds, one after another, and why it refuses the others. */
function imported(
  graph: Graph,
  edges: readonly Dependency[],
  suspicionOf: (edge: Dependency) => Suspicion | undefined,
) {
  return parentsFirst(edges).map((each) => {
    const why = edgeRefusal(each, graph, suspicionOf(each))
    if (why === undefined) graph.edges.push(each)
    return why
  })
}

test('an import refuses the same edges whether it searches the graph for each, or only for suspects', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const type = fc.constantFrom('blocks', 'conditional-blocks', 'parent-child', 'waits-for', 'related')
  const edges = fc.array(
    fc.tuple(id, id, type).map(([from, to, kind]) => edge(from, to, kind)),
    { maxLength: 10 },
  )
  fc.assert(
    fc.property(edges, edges, (given, added) => {
      const stored = new Graph([])
      imported(stored, given, () => undefined)
      const before = [...stored.edges]
      const suspicionOf = suspects(added, () => before.filter((each) => isScheduling(each.type)))
      const searched = imported(new Graph(before), added, () => undefined)
      expect(imported(new Graph(before), added, suspicionOf)).toEqual(searched)
    }),
    { numRuns: 2000 },
  )
})

test('no edge of a chain of 10,000 parents needs a search, also if each task waits for another one beside it', () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => edge(`t-${i + 1}`, `t-${i}`, 'parent-child'))
  const waiting = Array.from({ length: 10_000 }, (_, i) => edge(`t-${i}`, `w-${i}`, 'blocks'))
  const edges = [...chain, ...waiting]
  const suspicionOf = suspects(edges, () => [])
  const graph = new Graph([])
  for (const each of edges) expect(edgeRefusal(each, graph, suspicionOf(each))).toBeUndefined()
  expect(graph.looked).toBe(0)
})

test('tasks are put before their parents, however an import lists them', () => {
  const chain = Array.from({ length: 200 }, (_, i) => edge(`t-${i + 1}`, `t-${i}`, 'parent-child'))
  const sorted = Array.from({ length: 201 }, (_, i) => `t-${200 - i}`)
  fc.assert(
    fc.property(fc.shuffledSubarray(sorted, { minLength: 201 }), (ids) => {
      expect(parentsLast(new Set(ids), chain)).toEqual(sorted)
    }),
    { numRuns: 20 },
  )
})
