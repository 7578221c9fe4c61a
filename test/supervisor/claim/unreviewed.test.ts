import { expect, test } from 'vitest'
import { recordFrom } from '../../../src/domain/fleet/shared-record.ts'
import { unreviewedNow } from '../../../src/supervisor/claim/unreviewed.ts'
import { testWorld } from '../../support/world.ts'

test('on a shared queue the tasks of all machines that wait for a review count for their project', async () => {
  const hosts = { 'test-a': 'fleet-aaaaaa@web-1', 'test-b': 'fleet-bbbbbb@web-2' }
  const limit = { path: '/lib', most: 2 }
  const { world, store } = await testWorld(undefined, (world) => ({
    name: 'fleet-aaaaaa@web-1',
    records: {
      of: async (ids) =>
        ids.map((task) => recordFrom(task, { host: hosts[task as keyof typeof hosts], machine: 'web' })),
      asking: async () => [],
      change: async () => undefined,
    },
    policy: () => ({
      ...world.policy(),
      holdsForReviews: true,
      maxUnreviewed: (cwd) => (cwd?.startsWith('/lib') ? limit : undefined),
      host: { ...world.policy().host, paths: { '/srv/lib': '/lib' } },
    }),
  }))
  const blocked = (id: string, cwd: string, labels: readonly string[]) =>
    store.queue.create(
      { id, title: id, status: 'blocked', labels: [...labels], metadata: { fleet: { cwd } } },
      'tester',
    )
  const label = ['needs-review']
  // On this machine nobody has worked on test-a: its label stands there by hand.
  await blocked('test-a', '/lib', label)
  await blocked('test-b', '/srv/lib/part', label)
  await blocked('test-c', '/lib', [])
  expect(await unreviewedNow(world)).toEqual([{ project: '/lib', waiting: 1, most: 2 }])
})
