import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dependency } from '../../../src/domain/task/dependency.ts'
import { layOut } from '../../../src/domain/task/rules/graph-layout.ts'
import { missingSections, tersenessOf } from '../../../src/domain/task/rules/lint.ts'
import { BLANK_TASK } from '../../../src/domain/task/task.ts'

const IDS = ['a', 'b', 'c', 'd', 'e']
const tasks = IDS.map((id) => ({ ...BLANK_TASK, id }))
const edge = (issue_id: string, depends_on_id: string, type: string): Dependency => ({
  issue_id,
  depends_on_id,
  type,
  created_at: '',
  created_by: '',
  metadata: '{}',
  thread_id: '',
})
const edges = fc.array(
  fc
    .tuple(
      fc.constantFrom(...IDS),
      fc.constantFrom(...IDS, 'elsewhere'),
      fc.constantFrom('blocks', 'parent-child', 'related'),
    )
    .map(([from, to, type]) => edge(from, to, type)),
  { maxLength: 12 },
)

describe('the layers of a graph', () => {
  test('hold every task once, whatever the edges', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const { layers } = layOut('a', tasks, all)
        expect(layers.flat().sort()).toEqual(IDS)
        for (const ids of layers) expect(ids).toEqual([...ids].sort())
      }),
    )
  })

  test('put a task above what blocks it, and no child below its parent', () => {
    // An edge leads only to an earlier id, so there is no circle.
    const ordered = edges.map((all) => all.filter((each) => each.depends_on_id < each.issue_id))
    fc.assert(
      fc.property(ordered, (all) => {
        const blocks = all.filter((each) => each.type === 'blocks')
        const layerOf = (layers: readonly (readonly string[])[], id: string) =>
          layers.findIndex((ids) => ids.includes(id))
        const without = layOut('a', tasks, blocks).layers
        for (const each of blocks) {
          expect(layerOf(without, each.issue_id)).toBeGreaterThan(layerOf(without, each.depends_on_id))
        }
        const { layers } = layOut('a', tasks, all)
        for (const each of all.filter((one) => one.type === 'parent-child')) {
          expect(layerOf(layers, each.issue_id)).toBeGreaterThanOrEqual(layerOf(layers, each.depends_on_id))
        }
      }),
    )
  })
})

describe('the sections of a description', () => {
  const missing = (type: string, text: string, more?: { criteria?: string; asked?: string }) =>
    missingSections({ type, text, criteria: more?.criteria ?? '' }, more?.asked).map((each) => each.heading)

  test.each([
    ['bug', '', ['Steps to Reproduce', 'Acceptance Criteria']],
    ['bug', '## steps to REPRODUCE', ['Acceptance Criteria']],
    ['task', 'acceptance criteria: none', []],
    ['epic', 'Acceptance Criteria', []],
    ['chore', '', []],
    ['constructor', '', []],
  ])('a %s that says %j lacks %j', (type, text, lacks) => expect(missing(type, text)).toEqual(lacks))

  test('the field for criteria needs no heading, and more headings can be asked for', () => {
    expect(missing('task', '', { criteria: 'it works' })).toEqual([])
    expect(missing('chore', 'Risk: none', { asked: ' ## Cost , risk,, cost' })).toEqual(['Cost'])
  })

  test('a reason for closing says something', () => {
    expect(tersenessOf('Closed')).toContain('empty or default')
    expect(tersenessOf('done')).toContain('terse (4 chars)')
    expect(tersenessOf('the parser accepts empty input now')).toBeUndefined()
  })
})
