import { afterEach, expect, test, vi } from 'vitest'
import type { HostReport } from '../../../src/domain/fleet/host.ts'
import { openPostgresStore } from '../../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../../src/queues/postgres/queue.ts'
import { describeWithPostgres } from '../../support/postgres.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 0, 1)

function report(name: string, more: Partial<HostReport> = {}): HostReport {
  return {
    id: `fleet-${name}@box`,
    name,
    machine: 'box',
    labels: ['linux', 'gpu'],
    version: '1.2.3',
    since: NOW - 5000,
    slots: 8,
    state: 'claiming',
    running: [{ task: 'fleet-a', title: 'Say "hi"', coder: 'claude', since: NOW - 3000, phase: 'running' }],
    ...more,
  }
}

afterEach(() => void vi.useRealTimers())

describeWithPostgres('the machines on a shared queue', (server) => {
  async function open(clock?: { millis: number }): Promise<PostgresQueue> {
    const store = await openPostgresStore({ url, create: true })
    return new PostgresQueue(store, clock === undefined ? {} : { clock: { now: () => clock.millis } })
  }
  let url: string

  test('are listed by name with their last report, until they leave', async () => {
    url = server.newUrl()
    const clock = { millis: NOW }
    await using queue = await open(clock)
    expect(await queue.hosts.all()).toEqual([])
    await queue.hosts.announce(report('forge'))
    await queue.hosts.announce(report('anvil', { labels: [], running: [], state: 'draining' }))
    clock.millis += 1000
    await queue.hosts.announce(report('forge', { slots: 4 }))
    expect(await queue.hosts.all()).toEqual([
      { ...report('anvil', { labels: [], running: [], state: 'draining' }), seen: NOW },
      { ...report('forge', { slots: 4 }), seen: NOW + 1000 },
    ])
    await queue.hosts.leave('fleet-forge@box')
    expect((await queue.hosts.all()).map(({ name }) => name)).toEqual(['anvil'])
    await queue.hosts.leave('fleet-nobody@box')
  })

  test('are forgotten a week after their last heartbeat', async () => {
    url = server.newUrl()
    const clock = { millis: NOW }
    await using queue = await open(clock)
    await queue.hosts.announce(report('old'))
    clock.millis += 8 * DAY
    await queue.hosts.announce(report('new'))
    expect((await queue.hosts.all()).map(({ name }) => name)).toEqual(['new'])
    const { searchParams } = new URL(url)
    expect(await server.query(`select name from ${searchParams.get('schema')}.host`)).toEqual([{ name: 'new' }])
  })

  test('receive an order again if its answer was lost and the sender may still be waiting', async () => {
    url = server.newUrl()
    await using queue = await open()
    const { orders } = queue
    const order = { host: 'fleet-a@box', kind: 'kill', task: 'fleet-a', by: 'anna', about: '' } as const
    const id = await orders.give(order)
    expect([await orders.take(order.host), await orders.take(order.host)]).toEqual([[{ ...order, id }], []])
    await orders.give({ ...order, task: 'fleet-b' })
    const older = (minutes: number) =>
      server.query(
        `update ${new URL(url).searchParams.get('schema')}.host_order set asked_at = asked_at - ${minutes * 60_000}`,
      )
    await older(5)
    expect(await orders.take(order.host, { again: true })).toEqual([{ ...order, id }])
    await older(20)
    expect(await orders.take(order.host, { again: true })).toEqual([])
  })

  test('are shown with correct times on machines whose clocks differ', async () => {
    url = server.newUrl()
    await using queue = await open()
    const here = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: here + DAY })
    const ahead = { since: Date.now() - 60_000, running: [{ ...run, since: Date.now() - 30_000 }] }
    await queue.hosts.announce(report('ahead', ahead))
    vi.useRealTimers()
    const [host] = await queue.hosts.all()
    const ago = [host?.seen, host?.since, host?.running[0]?.since].map((at) =>
      Math.round((Date.now() - (at ?? 0)) / 10_000),
    )
    expect(ago).toEqual([0, 6, 3])
  })
})

const run = { task: 'fleet-a', title: 'work', coder: 'shell', phase: 'running' }
