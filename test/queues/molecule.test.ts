import { describe, expect, test } from 'vitest'
import type { TaskStore } from '../../src/ports/task-store.ts'
import { openPostgres } from '../contract/postgres.ts'
import { openSqlite } from '../contract/sqlite.ts'
import { describeWithPostgres } from '../support/postgres.ts'

interface Subject extends AsyncDisposable {
  readonly queue: TaskStore
}

/** A molecule with two steps, the second with one of its own. */
async function molecule(queue: TaskStore): Promise<{ root: string; first: string; second: string; below: string }> {
  const { id: root } = await queue.create({ title: 'all', issue_type: 'molecule' }, 'maker')
  const { id: first } = await queue.create({ title: 'first', parent: root }, 'maker')
  const { id: second } = await queue.create({ title: 'second', parent: root }, 'maker')
  const { id: below } = await queue.create({ title: 'below', parent: second }, 'maker')
  return { root, first, second, below }
}

function suite(open: () => Promise<Subject>): void {
  test('a person who closes the last step closes the molecule', async () => {
    await using subject = await open()
    const { queue } = subject
    const { root, first, second, below } = await molecule(queue)
    for (const id of [below, first]) {
      expect(await queue.close(id, {}, 'anna')).not.toHaveProperty('molecule')
    }
    expect(await queue.close(second, {}, 'anna')).toMatchObject({
      kind: 'closed',
      molecule: { id: root, status: 'closed', close_reason: 'all steps complete' },
    })
  })

  test('an agent whose task was the last step closes the molecule, and frees what waits for it', async () => {
    await using subject = await open()
    const { queue } = subject
    const { root, first, second, below } = await molecule(queue)
    const { id: after } = await queue.create({ title: 'after', dependencies: [{ on: root, type: 'blocks' }] }, 'maker')
    for (const id of [below, second]) await queue.close(id, {}, 'anna')
    const [claim] = await queue.claim({ limit: 9, by: 'claimer', leaseMs: 60_000 })
    expect(claim?.id).toBe(first)
    if (claim !== undefined) expect(await queue.settle(claim, { to: 'closed', reason: 'done' })).toBe(true)
    expect(await queue.get(root)).toMatchObject({ status: 'closed', close_reason: 'all steps complete' })
    expect((await queue.ready({ limit: 9 })).map((task) => task.id)).toEqual([after])
  })

  test('an epic stays open when its last child is closed', async () => {
    await using subject = await open()
    const { queue } = subject
    const { id: epic } = await queue.create({ title: 'all', issue_type: 'epic' }, 'maker')
    const { id } = await queue.create({ title: 'only', parent: epic }, 'maker')
    await queue.close(id, {}, 'anna')
    expect(await queue.get(epic)).toMatchObject({ status: 'open' })
  })
}

describe('a molecule on a local queue', () => suite(openSqlite))
describeWithPostgres('a molecule on a Postgres queue', (server) => suite(() => openPostgres(server.newUrl())))
