import { describe, expect, test } from 'vitest'
import { link, localQueue, ready, record, tasks } from './store.ts'

describe('adding a dependency', () => {
  test('a cycle is refused with its path', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-a', 'fleet-b', 'fleet-c')
    await link(queue, 'fleet-a', 'fleet-b')
    await link(queue, 'fleet-b', 'fleet-c', 'conditional-blocks')
    expect(await link(queue, 'fleet-c', 'fleet-a')).toEqual({
      kind: 'cycle',
      path: ['fleet-c', 'fleet-a', 'fleet-b', 'fleet-c'],
    })
    expect(await queue.edges(['fleet-c'], 'down')).toEqual([])
  })

  test('a cycle through the hierarchy is refused too', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-p', 'fleet-k', 'fleet-x')
    await link(queue, 'fleet-k', 'fleet-p', 'parent-child')
    await link(queue, 'fleet-p', 'fleet-x')
    expect(await link(queue, 'fleet-x', 'fleet-k')).toMatchObject({ kind: 'cycle' })
  })

  test.each(['related', 'waits-for', 'tracks'])(
    '%s edges may form a cycle, because they do not order work',
    async (type) => {
      const queue = localQueue()
      await tasks(queue, 'fleet-a', 'fleet-b')
      await link(queue, 'fleet-a', 'fleet-b')
      expect(await link(queue, 'fleet-b', 'fleet-a', type)).toEqual({ kind: 'added' })
    },
  )

  test('a blocking edge between a task and its ancestor or descendant is refused', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-p', 'fleet-k', 'fleet-g')
    await link(queue, 'fleet-k', 'fleet-p', 'parent-child')
    await link(queue, 'fleet-g', 'fleet-k', 'parent-child')
    expect(await link(queue, 'fleet-g', 'fleet-p')).toEqual({ kind: 'own-parent' })
    expect(await link(queue, 'fleet-p', 'fleet-g')).toEqual({ kind: 'own-child' })
  })

  test('a parent is refused if it would put the task, or one of its descendants, below a task it waits for', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-g', 'fleet-p', 'fleet-a', 'fleet-k')
    await link(queue, 'fleet-p', 'fleet-g', 'parent-child')
    await link(queue, 'fleet-k', 'fleet-a', 'parent-child')
    await link(queue, 'fleet-k', 'fleet-g')
    const refused = { kind: 'waits-for-ancestor', task: 'fleet-k', ancestor: 'fleet-g' }
    expect(await link(queue, 'fleet-a', 'fleet-p', 'parent-child')).toEqual(refused)
    expect(await queue.edges(['fleet-a'], 'down')).toEqual([])
    const line = record({ id: 'fleet-a', dependencies: [{ depends_on_id: 'fleet-p', type: 'parent-child' }] })
    const { skippedDependencies } = await queue.import([line], {}, 'tester')
    expect(skippedDependencies.map(({ why }) => why)).toEqual([refused])
    await queue.removeDependency({ issue_id: 'fleet-k', depends_on_id: 'fleet-g' }, 'tester')
    expect(await link(queue, 'fleet-a', 'fleet-p', 'parent-child')).toEqual({ kind: 'added' })
  })

  test('adding the same edge again is allowed; the same pair with another type is refused', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-a', 'fleet-b')
    expect(await link(queue, 'fleet-a', 'fleet-b')).toEqual({ kind: 'added' })
    expect(await link(queue, 'fleet-a', 'fleet-b')).toEqual({ kind: 'already' })
    expect(await link(queue, 'fleet-a', 'fleet-b', 'tracks')).toEqual({ kind: 'other-type', type: 'blocks' })
  })

  test('unknown ids and the task itself are refused; a task of another project is recorded and holds nothing up', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-a')
    expect(await link(queue, 'fleet-a', 'fleet-zz')).toEqual({ kind: 'unknown', id: 'fleet-zz' })
    expect(await link(queue, 'fleet-zz', 'fleet-a')).toEqual({ kind: 'unknown', id: 'fleet-zz' })
    expect(await link(queue, 'fleet-a', 'fleet-a')).toEqual({ kind: 'itself' })
    expect(await link(queue, 'fleet-a', '../other-1')).toEqual({ kind: 'unknown', id: '../other-1' })
    expect(await link(queue, 'fleet-a', 'other-1')).toEqual({ kind: 'added' })
    expect(await link(queue, 'fleet-a', 'external:web:login')).toEqual({ kind: 'added' })
    expect(await ready(queue)).toEqual(['fleet-a'])
  })

  test('if one of many edges is refused, none is added', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-a', 'fleet-b')
    const edges = [
      { issue_id: 'fleet-a', depends_on_id: 'fleet-b', type: 'blocks' },
      { issue_id: 'fleet-b', depends_on_id: 'fleet-a', type: 'blocks' },
    ]
    expect(await queue.addDependencies(edges, 'tester')).toMatchObject({ kind: 'refused', edge: edges[1] })
    expect(await queue.edges(['fleet-a', 'fleet-b'], 'down')).toEqual([])
  })
})

describe('a task that waits for the children of another', () => {
  async function waiting(gate?: string) {
    const queue = localQueue()
    await tasks(queue, 'fleet-w', 'fleet-s', 'fleet-k', 'fleet-l')
    await link(queue, 'fleet-w', 'fleet-s', 'waits-for', gate === undefined ? undefined : JSON.stringify({ gate }))
    return queue
  }

  test('is ready while there are none', async () => {
    for (const gate of [undefined, 'all-children', 'any-children'])
      expect(await ready(await waiting(gate))).toContain('fleet-w')
  })

  test('is held up as soon as there is one, and freed when it is removed', async () => {
    const queue = await waiting()
    await link(queue, 'fleet-k', 'fleet-s', 'parent-child')
    expect(await ready(queue)).not.toContain('fleet-w')
    await queue.removeDependency({ issue_id: 'fleet-k', depends_on_id: 'fleet-s' }, 'tester')
    expect(await ready(queue)).toContain('fleet-w')
  })

  test('waits for all of them, or with the gate any-children for the first to close', async () => {
    for (const [gate, afterOne] of [
      ['all-children', false],
      ['any-children', true],
    ] as const) {
      const queue = await waiting(gate)
      await link(queue, 'fleet-k', 'fleet-s', 'parent-child')
      await link(queue, 'fleet-l', 'fleet-s', 'parent-child')
      expect(await ready(queue)).not.toContain('fleet-w')
      await queue.close('fleet-k', {}, 'tester')
      expect((await ready(queue)).includes('fleet-w')).toBe(afterOne)
      await queue.close('fleet-l', {}, 'tester')
      expect(await ready(queue)).toContain('fleet-w')
    }
  })

  test('names the target it waits for, even if that was closed by force above an open child', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-e', 'fleet-k', 'fleet-w')
    await link(queue, 'fleet-k', 'fleet-e', 'parent-child')
    await link(queue, 'fleet-w', 'fleet-e', 'waits-for')
    await queue.close('fleet-e', { force: true }, 'anna')
    expect(await queue.take('fleet-w', 'anna')).toEqual({ kind: 'blocked', by: ['fleet-e'] })
    expect(await queue.blocked({})).toMatchObject([{ task: { id: 'fleet-w' }, blockedBy: ['fleet-e'] }])
  })

  test('waits for the target itself if the edge says so', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-w', 'fleet-s')
    await link(queue, 'fleet-w', 'fleet-s', 'waits-for', '{"gate":"all-children","also_blocks":true}')
    expect(await ready(queue)).toEqual(['fleet-s'])
    await queue.close('fleet-s', {}, 'tester')
    expect(await ready(queue)).toEqual(['fleet-w'])
  })
})
