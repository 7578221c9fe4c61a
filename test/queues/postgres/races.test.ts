import { expect, test } from 'vitest'
import type { Claim } from '../../../src/ports/queue.ts'
import { openPostgresStore } from '../../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../../src/queues/postgres/queue.ts'
import { eventually } from '../../support/home-run.ts'
import { describeWithPostgres } from '../../support/postgres.ts'

const MINUTE = 60_000

async function open(url: string): Promise<PostgresQueue> {
  return new PostgresQueue(await openPostgresStore({ url, create: true }))
}

/** Races beyond the contract: in this store some operations take the writer's lock and some do not. */
describeWithPostgres('at the same moment on two connections', (server) => {
  test('a supervisor closes a task while a person makes another depend on it: the other is not held up', async () => {
    const url = server.newUrl()
    await using supervisor = await open(url)
    await using person = await open(url)
    for (let i = 0; i < 150; i++) {
      const blocker = await person.create({ title: 'first', priority: 0 }, 'maker')
      const later = await person.create({ title: 'then' }, 'maker')
      const [claim] = await supervisor.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE })
      if (claim?.id !== blocker.id) throw new Error('another was handed out')
      const edge = { issue_id: later.id, depends_on_id: blocker.id, type: 'blocks' }
      const [closed, added] = await Promise.all([
        supervisor.settle(claim, { to: 'closed', reason: 'done' }),
        person.addDependency(edge, 'anna'),
      ])
      expect([closed, added, await person.ready({ limit: 5 })]).toMatchObject([
        true,
        { kind: 'added' },
        [{ id: later.id }],
      ])
      await person.close(later.id, {}, 'anna')
    }
  })

  test('two people make two tasks depend on each other: one of them is refused', async () => {
    const url = server.newUrl()
    await using anna = await open(url)
    await using bob = await open(url)
    for (let i = 0; i < 40; i++) {
      const [a, b] = [await anna.create({ title: 'a' }, 'anna'), await anna.create({ title: 'b' }, 'anna')]
      const kinds = await Promise.all([
        anna.addDependency({ issue_id: a.id, depends_on_id: b.id, type: 'blocks' }, 'anna'),
        bob.addDependency({ issue_id: b.id, depends_on_id: a.id, type: 'blocks' }, 'bob'),
      ])
      expect(kinds.map(({ kind }) => kind).sort()).toEqual(['added', 'cycle'])
    }
  })

  test('a supervisor claims a task while a person closes it: in either order it ends closed and without a valid claim', async () => {
    const url = server.newUrl()
    await using supervisor = await open(url)
    await using person = await open(url)
    for (let i = 0; i < 60; i++) {
      const { id } = await person.create({ title: 'work' }, 'maker')
      const [claims] = await Promise.all([
        supervisor.claim({ limit: 1, by: 'claimer', leaseMs: MINUTE }),
        person.close(id, { force: true }, 'anna'),
      ])
      for (const claim of claims) expect(await supervisor.renew(claim, MINUTE)).toBe(false)
      expect(await person.get(id)).toMatchObject({ status: 'closed', assignee: '' })
    }
  })

  test('claimers that admit only some tasks get each of those exactly once, and nothing else', async () => {
    const url = server.newUrl()
    await using maker = await open(url)
    const wanted: string[] = []
    for (let i = 0; i < 120; i++) {
      const task = await maker.create(
        { title: `${i}`, metadata: { fleet: { coder: i % 3 === 0 ? 'b' : 'a' } } },
        'maker',
      )
      if (i % 3 !== 0) wanted.push(task.id)
    }
    const claimAll = async (by: string): Promise<Claim[]> => {
      await using queue = await open(url)
      const mine: Claim[] = []
      // Like a supervisor: after losing tasks to others, claim again.
      let again = true
      using _ears = queue.onWake(() => {
        again = true
      })
      while (again) {
        again = false
        const admits = ({ metadata }: { metadata: Readonly<Record<string, unknown>> }) =>
          (metadata['fleet'] as { coder: string }).coder === 'a'
        for (;;) {
          const claims = await queue.claim({ limit: 7, by, leaseMs: MINUTE, admits })
          if (claims.length === 0) break
          mine.push(...claims)
        }
      }
      return mine
    }
    const claims = (await Promise.all(['one', 'two', 'three', 'four'].map(claimAll))).flat()
    expect(claims.map(({ id }) => id).sort()).toEqual(wanted.sort())
    expect(await maker.ready({ limit: 1000 })).toHaveLength(40)
  })

  test('a claim returns what it has if a deferral becomes due between two pages, and asks for another claim', async () => {
    const url = server.newUrl()
    await using person = await open(url)
    const [first = ''] = await made(person, 40)
    const later = await person.create(
      { title: 'later', status: 'deferred', defer_until: '2999-01-01T00:00:00Z' },
      'anna',
    )
    const due = () => person.update(later.id, { defer_until: '2020-01-01T00:00:00Z' }, 'anna')
    let looks = 0
    await using supervisor = await openMeddled(url, async (text) => {
      if (text.includes('page as (')) looks++
      if (looks === 2) await due()
    })
    let woken = 0
    using _ears = supervisor.onWake(() => woken++)
    await eventually(() => woken > 0, 'it listens')
    const before = woken
    const want = { limit: 2, by: 'claimer', leaseMs: MINUTE, admits: ({ id }: { id: string }) => id === first }
    expect(await supervisor.claim(want)).toMatchObject([{ id: first }])
    expect([looks, woken > before]).toEqual([2, true])
  })

  test('a claimer that lost every task to others backs off, and is woken before its empty claim returns', async () => {
    const url = server.newUrl()
    await using quicker = await open(url)
    const [id = ''] = await made(quicker, 1)
    const wish = { limit: 1, leaseMs: MINUTE, admits: () => true }
    await using supervisor = await openMeddled(url, async (text) => {
      if (text.includes('unnest($4')) await quicker.claim({ ...wish, by: 'quicker' })
    })
    let woken = 0
    using _ears = supervisor.onWake(() => woken++)
    await eventually(() => woken > 0, 'it listens')
    const [before, since] = [woken, performance.now()]
    expect(await supervisor.claim({ ...wish, by: 'slower' })).toEqual([])
    expect([woken > before, performance.now() - since > 40]).toEqual([true, true])
    expect(await quicker.claimsOf('quicker')).toMatchObject([{ id }])
  })

  test('takeNext ignores a deferral that becomes due after it began', async () => {
    const noon = Date.UTC(2026, 0, 1, 12)
    let looks = 0
    // An hour passes between one reading of the clock and the next.
    const clock = { now: () => noon + looks++ * 60 * MINUTE }
    await using queue = new PostgresQueue(await openPostgresStore({ url: server.newUrl(), create: true }), { clock })
    const { id } = await queue.create(
      { title: 'later', status: 'deferred', defer_until: '2026-01-01T12:01:00Z' },
      'anna',
    )
    looks = 0
    expect(await queue.takeNext({}, 'anna')).toBeUndefined()
    expect(await queue.takeNext({}, 'anna')).toMatchObject({ id })
  })
})

async function made(queue: PostgresQueue, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push((await queue.create({ title: `${i}` }, 'maker')).id)
  return ids
}

/** Calls a hook before each statement. */
async function openMeddled(url: string, before: (text: string) => Promise<void>): Promise<PostgresQueue> {
  const { db, prefix } = await openPostgresStore({ url })
  const meddled = new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'rows') return value.bind(target)
      return async (text: string, values?: []) => {
        await before(text)
        return await target.rows(text, values)
      }
    },
  })
  return new PostgresQueue({ db: meddled, prefix })
}
