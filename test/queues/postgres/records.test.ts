import { expect, test } from 'vitest'
import { mergedRecord, type SharedRecord } from '../../../src/domain/fleet/shared-record.ts'
import { freshState, type Question } from '../../../src/domain/run/run.ts'
import { openPostgresStore } from '../../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../../src/queues/postgres/queue.ts'
import { describeWithPostgres } from '../../support/postgres.ts'

const MINUTE = 60_000
const A = 'fleet-aaaaaa@web-1'
const B = 'fleet-bbbbbb@web-2'

async function open(url: string): Promise<PostgresQueue> {
  return new PostgresQueue(await openPostgresStore({ url, create: true }))
}

function question(task: string, run: string, askedAt: number): Question {
  const text = `asked by ${run}`
  return {
    id: 1,
    task,
    run,
    askedAt,
    text,
    options: [],
    suggestion: null,
    answeredAt: null,
    answeredBy: null,
    answer: null,
  }
}

function record(task: string, host: string, more: Partial<SharedRecord> = {}): SharedRecord {
  return { task, host, machine: 'web', state: freshState(task), next: null, questions: [], ...more }
}

describeWithPostgres('task records', (server) => {
  test('only the holder of a task writes its record; a machine that lost the task changes nothing', async () => {
    await using queue = await open(server.newUrl())
    const { id } = await queue.create({ title: 'work' }, 'maker')
    const [old] = await queue.claim({ limit: 1, by: A, leaseMs: -1 })
    expect(await queue.reclaimExpired()).toEqual([id])
    const [held] = await queue.claim({ limit: 1, by: B, leaseMs: MINUTE })
    if (old === undefined || held === undefined) throw new Error('nothing was handed out')
    const theirs = record(id, B, { state: { ...freshState(id), attempts: 2, failures: 1 } })
    expect(await queue.records.of([id])).toEqual([])
    expect(await queue.records.change(id, () => record(id, A), old)).toBeUndefined()
    expect(await queue.records.change(id, () => theirs, held)).toEqual(theirs)
    expect(await queue.records.change(id, () => record(id, A), old)).toBeUndefined()
    expect(await queue.records.of([id, 'fleet-nope'])).toEqual([theirs])
    // After the settlement the task has no holder; the record stays.
    expect(await queue.settle(held, { to: 'closed', reason: 'done' })).toBe(true)
    expect(await queue.records.change(id, () => record(id, B), held)).toBeUndefined()
    expect(await queue.records.of([id])).toEqual([theirs])
  })

  test('concurrent writes never overwrite each other', async () => {
    await using queue = await open(server.newUrl())
    const { id } = await queue.create({ title: 'work' }, 'maker')
    const runs = Array.from({ length: 12 }, (_, i) => `run-${i}`)
    await Promise.all(
      runs.map((run, i) =>
        queue.records.change(id, (current) =>
          mergedRecord(current, record(id, A, { questions: [question(id, run, i)] })),
        ),
      ),
    )
    const [written] = await queue.records.of([id])
    expect(written?.questions.map(({ run }) => run)).toEqual(runs)
  })

  test('open questions come oldest first, without those of closed tasks; deleting a task deletes its record', async () => {
    await using queue = await open(server.newUrl())
    const ids: string[] = []
    for (const askedAt of [30, 10, 20]) {
      const { id } = await queue.create({ title: `asked at ${askedAt}` }, 'maker')
      await queue.records.change(id, () => record(id, A, { questions: [question(id, `run-${askedAt}`, askedAt)] }))
      ids.push(id)
    }
    const [third, first, second] = ids as [string, string, string]
    const asking = async () => (await queue.records.asking()).map(({ task }) => task)
    expect(await asking()).toEqual([first, second, third])
    await queue.close(second, {}, 'anna')
    await queue.remove([third], 'anna')
    expect(await asking()).toEqual([first])
    expect(await queue.records.of(ids)).toHaveLength(2)
    expect(await queue.records.change(third, () => record(third, A))).toBeUndefined()
  })

  test('a record from a later version is read as far as it is understood', async () => {
    const url = server.newUrl()
    await using queue = await open(url)
    const { id } = await queue.create({ title: 'work' }, 'maker')
    await queue.records.change(id, () => record(id, A))
    const written = {
      host: B,
      machine: 'web',
      state: { failures: 2, lastOutcome: { code: 'abducted', text: 'by aliens' } },
      more: 1,
    }
    const schema = new URL(url).searchParams.get('schema')
    await server.query(`update ${schema}.task_record set record = '${JSON.stringify(written)}'`)
    const lastOutcome = { code: 'error', text: 'by aliens' } as const
    expect(await queue.records.of([id])).toEqual([
      record(id, B, { state: { ...freshState(id), failures: 2, lastOutcome } }),
    ])
    await server.query(`update ${schema}.task_record set record = 'no JSON'`)
    await expect(queue.records.of([id])).rejects.toMatchObject({ code: 'queue' })
  })
})

describeWithPostgres('orders to other machines', (server) => {
  const kill = { host: A, kind: 'kill', task: 'fleet-x', by: 'anna', about: 'c1' } as const

  test('are taken once by the machine they are for, and answered', async () => {
    await using queue = await open(server.newUrl())
    const { orders } = queue
    const id = await orders.give(kill)
    expect(await orders.take(B)).toEqual([])
    expect(await orders.get(id)).toEqual({ taken: false, answer: undefined })
    expect(await orders.take(A)).toEqual([{ id, ...kill }])
    expect(await orders.take(A)).toEqual([])
    expect(await orders.withdraw(id)).toBe(false)
    // Like a supervisor that took over from one that had already taken the order.
    expect(await orders.take(A, { again: true })).toEqual([{ id, ...kill }])
    await orders.done(id, 'stopped by anna')
    await orders.done(id, 'too late')
    expect(await orders.get(id)).toEqual({ taken: true, answer: 'stopped by anna' })
    expect(await orders.take(A, { again: true })).toEqual([])
  })

  test('are not taken after they are withdrawn or a minute old', async () => {
    const url = server.newUrl()
    await using queue = await open(url)
    const { orders } = queue
    const withdrawn = await orders.give(kill)
    expect(await orders.withdraw(withdrawn)).toBe(true)
    expect(await orders.get(withdrawn)).toBeUndefined()
    await orders.give(kill)
    await server.query(`update ${new URL(url).searchParams.get('schema')}.host_order set asked_at = asked_at - 60000`)
    expect(await orders.take(A)).toEqual([])
  })

  test('wake the supervisor', async () => {
    await using queue = await open(server.newUrl())
    const woken: (() => void)[] = []
    const heard = () => new Promise<void>((resolve) => woken.push(resolve))
    const listening = heard()
    using _ears = queue.onWake(() => {
      for (const each of woken.splice(0)) each()
    })
    await listening
    const order = heard()
    await queue.orders.give(kill)
    await order
  })

  test('show how long a machine that does not answer keeps its task', async () => {
    await using queue = await open(server.newUrl())
    const { id } = await queue.create({ title: 'work' }, 'maker')
    expect(await queue.orders.leaseLeft(A, id)).toBeUndefined()
    await queue.claim({ limit: 1, by: A, leaseMs: MINUTE })
    const left = (await queue.orders.leaseLeft(A, id)) ?? 0
    expect(await queue.orders.leaseLeft(B, id)).toBeUndefined()
    expect([left > MINUTE / 2, left <= MINUTE]).toEqual([true, true])
  })
})
