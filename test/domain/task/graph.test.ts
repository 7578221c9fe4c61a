import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { components, cycles, pathBetween } from '../../../src/domain/task/graph.ts'

const node = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const edges = fc.array(fc.record({ from: node, to: node }), { maxLength: 15 })

describe('graphs', () => {
  test('an edge is part of a cycle exactly when there is a path back', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const component = components(all)
        for (const { from, to } of all) {
          const back = pathBetween(to, from, (each) => all.filter((edge) => edge.from === each).map((edge) => edge.to))
          expect(component.get(from) === component.get(to)).toBe(back !== undefined)
        }
      }),
    )
  })

  test('every reported cycle is real, and an acyclic graph has none', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const found = cycles(all)
        for (const cycle of found) {
          cycle.forEach((from, i) => {
            const to = cycle[(i + 1) % cycle.length]
            expect(all).toContainEqual({ from, to })
          })
        }
        const component = components(all)
        const cyclic = all.some(({ from, to }) => component.get(from) === component.get(to))
        expect(found.length > 0).toBe(cyclic)
      }),
    )
  })

  test('a chain of 100,000 is walked without recursion', () => {
    const chain = Array.from({ length: 100_000 }, (_, i) => ({ from: `n${i}`, to: `n${i + 1}` }))
    expect(new Set(components(chain).values()).size).toBe(100_001)
  })
})
