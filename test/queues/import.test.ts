import { describe, expect, test } from 'vitest'
import { link, localQueue, NOW, ready, record, tasks } from './store.ts'

const at = (day: number) => `2026-03-0${day}T00:00:00Z`

describe('importing', () => {
  test('a newer line replaces the task, an older one does not, and an equally old one adds only labels, comments and dependencies', async () => {
    const queue = localQueue()
    await queue.import([record({ id: 'fleet-a', title: 'first', updated_at: at(2), labels: ['x'] })], {}, 'tester')
    const older = record({ id: 'fleet-a', title: 'older', updated_at: at(1), labels: ['no'] })
    expect(await queue.import([older], {}, 'tester')).toMatchObject({ stale: ['fleet-a'], imported: [] })
    const tied = record({ id: 'fleet-a', title: 'tied', updated_at: at(2), labels: ['y'] })
    expect(await queue.import([tied], {}, 'tester')).toMatchObject({ tied: ['fleet-a'] })
    expect(await queue.get('fleet-a')).toMatchObject({ title: 'first', labels: ['x', 'y'] })
    const newer = record({ id: 'fleet-a', title: 'newer', updated_at: at(3) })
    expect(await queue.import([newer], {}, 'tester')).toMatchObject({
      updated: [{ id: 'fleet-a', changes: ['title'] }],
    })
    expect(await queue.get('fleet-a')).toMatchObject({ title: 'newer', labels: ['x', 'y'] })
  })

  test('an old snapshot is restored only with allowStale', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-a')
    const old = record({ id: 'fleet-a', title: 'old', updated_at: at(1) })
    await queue.import([old], { allowStale: true }, 'tester')
    expect(await queue.get('fleet-a')).toMatchObject({ title: 'old', updated_at: at(1) })
  })

  test('a dry run gives the same report and changes nothing', async () => {
    const queue = localQueue()
    const lines = [record({ id: 'fleet-a' }), { ...record({ id: 'fleet-b' }), id: '' }]
    expect(await queue.import(lines, { dryRun: true }, 'tester')).toMatchObject({ created: ['fleet-a', ''] })
    expect(await queue.count({})).toBe(0)
  })

  test('a task without an id gets one', async () => {
    const queue = localQueue()
    const { created } = await queue.import([{ ...record({ id: 'fleet-b', title: 'new' }), id: '' }], {}, 'tester')
    expect(await queue.get(created[0] ?? '')).toMatchObject({
      title: 'new',
      id: expect.stringMatching(/^fleet-\w{3}$/),
    })
  })

  test('edges to unknown tasks, to the same task or into a cycle are skipped and reported', async () => {
    const queue = localQueue()
    const on = (...ids: string[]) => ids.map((id) => ({ depends_on_id: id, type: 'blocks' }))
    const { skippedDependencies } = await queue.import(
      [
        record({ id: 'fleet-a', dependencies: on('fleet-zz', 'fleet-a', 'fleet-b') }),
        record({ id: 'fleet-b', dependencies: on('fleet-c') }),
        record({ id: 'fleet-c', dependencies: on('fleet-a') }),
      ],
      {},
      'tester',
    )
    expect(skippedDependencies.map(({ edge, why }) => [edge.issue_id, edge.depends_on_id, why])).toEqual([
      ['fleet-a', 'fleet-zz', { kind: 'unknown', id: 'fleet-zz' }],
      ['fleet-a', 'fleet-a', { kind: 'itself' }],
      ['fleet-c', 'fleet-a', { kind: 'cycle', path: ['fleet-c', 'fleet-a', 'fleet-b', 'fleet-c'] }],
    ])
    expect(await ready(queue)).toEqual(['fleet-c'])
  })

  test('an import that closes a blocker frees its dependents', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-a', 'fleet-b')
    await link(queue, 'fleet-a', 'fleet-b')
    const closed = record({ id: 'fleet-b', status: 'closed', closed_at: NOW, updated_at: '2026-07-01T00:00:00Z' })
    await queue.import([closed], {}, 'tester')
    expect(await ready(queue)).toEqual(['fleet-a'])
  })

  test('importing new fields of a running task does not take it from its holder; a new status does', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-a')
    const [claim] = await queue.claim({ limit: 1, by: 'supervisor', leaseMs: 60_000 })
    if (claim === undefined) throw new Error('nothing claimed')
    const running = { id: 'fleet-a', status: 'in_progress', assignee: 'supervisor' }
    await queue.import([record({ ...running, notes: 'n', updated_at: '2026-07-01T00:00:00Z' })], {}, 'tester')
    expect(await queue.renew(claim, 60_000)).toBe(true)
    await queue.import([record({ id: 'fleet-a', status: 'open', updated_at: '2026-07-02T00:00:00Z' })], {}, 'tester')
    expect(await queue.renew(claim, 60_000)).toBe(false)
  })

  test('a comment imported twice is kept once, and two comments may have the same id in the import', async () => {
    const queue = localQueue()
    const comment = { id: 7, author: 'x', text: 'hi', created_at: at(1) }
    const lines = [record({ id: 'fleet-a', comments: [comment] }), record({ id: 'fleet-b', comments: [comment] })]
    await queue.import(lines, {}, 'tester')
    await queue.import(lines, {}, 'tester')
    expect(await queue.comments('fleet-a')).toMatchObject([{ id: '7', text: 'hi' }])
    expect(await queue.comments('fleet-b')).toMatchObject([{ id: expect.not.stringMatching(/^7$/), text: 'hi' }])
  })

  test('two comments of the same second keep their order through their times', async () => {
    const queue = localQueue()
    await tasks(queue, 'fleet-a')
    for (const text of ['one', 'two', 'three']) await queue.comment('fleet-a', text, 'tester')
    const times = (await queue.comments('fleet-a')).map((comment) => comment.created_at)
    expect(times).toEqual([NOW, '2026-06-01T12:00:01Z', '2026-06-01T12:00:02Z'])
  })
})
