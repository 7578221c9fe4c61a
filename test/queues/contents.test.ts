import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Contents, canonicalText, differences, type StoredTask } from '../../src/domain/task/contents.ts'
import { merge } from '../../src/queues/beads/contents.ts'
import { contentsForBd } from '../../src/queues/beads/contents-for-bd.ts'
import { fillStore, contentsOf as serverContents } from '../../src/queues/postgres/contents.ts'
import { openPostgresStore } from '../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../src/queues/postgres/queue.ts'
import { contentsOf, replaceContents } from '../../src/queues/sqlite/contents.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { SqliteQueue } from '../../src/queues/sqlite/queue.ts'
import { describeWithPostgres } from '../support/postgres.ts'
import { record } from './store.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((each) => each.replaceAll('\0', ''))
const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}$/)
const time = fc
  .date({ min: new Date('1970-01-02T00:00:00Z'), max: new Date('9998-01-01T00:00:00Z'), noInvalidDate: true })
  .map((each) => `${each.toISOString().slice(0, 19)}Z`)
const json = fc.jsonValue({ maxDepth: 3 }).filter((each) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(each)))
const object = fc.dictionary(word, json, { maxKeys: 3 })
const maybe = <T>(each: fc.Arbitrary<T>) => fc.option(each, { nil: null })
const IDS = ['fleet-a', 'fleet-b', 'fleet-b.1', 'fleet-c', 'team-d', 'fleet-e'] as const

/** Any task with that id, including states that no command allows: edges to unknown tasks and cycles. */
function task(id: string): fc.Arbitrary<StoredTask> {
  return fc
    .record({
      title: text.map((each) => `t${each}`),
      description: text,
      notes: text,
      status: fc.constantFrom('open', 'in_progress', 'blocked', 'deferred', 'closed', 'pinned', 'my_own'),
      priority: fc.integer({ min: 0, max: 4 }),
      issue_type: word,
      assignee: text,
      estimated_minutes: maybe(fc.nat(1e9)),
      created_at: time,
      updated_at: time,
      closed_at: time,
      defer_until: maybe(time),
      metadata: object,
      pinned: fc.boolean(),
      ephemeral: fc.boolean(),
      labels: fc.uniqueArray(
        text.map((each) => `l${each}`),
        { maxLength: 3 },
      ),
      extra: fc.dictionary(
        word.map((each) => `x_${each}`),
        json.filter((each) => each !== null && each !== ''),
        { maxKeys: 2 },
      ),
      edges: fc.uniqueArray(
        fc.record({
          depends_on_id: fc.constantFrom(...IDS, 'fleet-none', 'external:web:login'),
          type: fc.constantFrom('blocks', 'parent-child', 'waits-for', 'related'),
          created_at: time,
          created_by: text,
          metadata: fc.constantFrom('{}', '{"gate":"any-children"}', 'no JSON'),
          thread_id: text,
        }),
        { maxLength: 3, selector: (edge) => edge.depends_on_id },
      ),
      comments: fc.array(fc.record({ id: fc.uuid(), author: text, text, created_at: time }), { maxLength: 2 }),
      nextChild: fc.integer({ min: 1, max: 99 }),
      token: fc.nat(99),
      leaseUntil: maybe(fc.nat(2e12)),
      notBefore: maybe(fc.nat(2e12)),
    })
    .map(({ edges, comments, extra, closed_at, nextChild, token, leaseUntil, notBefore, ...fields }) => ({
      record: record({
        id,
        ...fields,
        ...extra,
        ...(fields.status === 'closed' ? { closed_at } : {}),
        dependencies: edges.map((edge) => ({ ...edge, issue_id: id })),
        comments: comments.map((comment) => ({ ...comment, issue_id: id })),
      }),
      nextChild,
      token,
      leaseUntil,
      notBefore,
    }))
}

const contents: fc.Arbitrary<Contents> = fc.record({
  prefix: fc.constantFrom('fleet', 'team'),
  tasks: fc.tuple(...IDS.map(task)).chain((all) => fc.shuffledSubarray(all)),
  history: fc.array(
    fc.record({
      task: fc.constantFrom(...IDS, 'fleet-deleted'),
      at: time,
      actor: text,
      kind: fc.constantFrom('created', 'updated', 'closed', 'deleted'),
      changes: fc.dictionary(word, fc.tuple(json, json), { maxKeys: 2 }),
    }),
    { maxLength: 5 },
  ),
  values: fc.dictionary(
    word.map((each) => `kv.${each}`),
    text,
    { maxKeys: 3 },
  ),
})

/** Passed through JSON once, which has no minus zero, and with edges and comments in the order of the stores. */
function settled(given: Contents): Contents {
  const all = JSON.parse(JSON.stringify(given)) as Contents
  return {
    ...all,
    tasks: all.tasks.map((each) => ({
      ...each,
      record: {
        ...each.record,
        // By bytes, as every store sorts; JavaScript compares UTF-16 code units.
        labels: [...each.record.labels].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        dependencies: [...each.record.dependencies].sort((a, b) =>
          a.created_at === b.created_at
            ? a.depends_on_id < b.depends_on_id
              ? -1
              : 1
            : a.created_at < b.created_at
              ? -1
              : 1,
        ),
        comments: [...each.record.comments].sort((a, b) =>
          a.created_at < b.created_at ? -1 : Number(a.created_at > b.created_at),
        ),
      },
    })),
  }
}

/** The server's clock may differ a little, so times are compared roughly. */
const roughly = (all: Contents) =>
  all.tasks.map(({ record: { id }, leaseUntil, notBefore }) => [
    id,
    leaseUntil === null ? null : Math.round(leaseUntil / 60_000),
    notBefore === null ? null : Math.round(notBefore / 60_000),
  ])
const timeless = (all: Contents): Contents => ({
  ...all,
  tasks: all.tasks.map((each) => ({ ...each, leaseUntil: null, notBefore: null })),
})

describeWithPostgres('everything a queue can hold', (server) => {
  test('is the same in SQLite, on the server and back in SQLite, with the same ready tasks', {
    timeout: 280_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (given) => {
        const wanted = settled(given)
        using first = openStore({ path: ':memory:', create: true })
        first.write(() => replaceContents(first, wanted))
        expect(contentsOf(first)).toEqual(wanted)

        const store = await openPostgresStore({ url: server.newUrl(), create: true, prefix: wanted.prefix })
        await using there = new PostgresQueue(store)
        const now = Date.now()
        const back = await store.db.transaction({ begin: 'begin' }, async (sql) => {
          await fillStore(sql, contentsOf(first), now)
          return await serverContents(sql, now)
        })
        expect(timeless(back)).toEqual(timeless(wanted))
        const drift = roughly(back).map((row, i) =>
          row.slice(1).map((moment, k) => (moment === null ? 0 : Number(moment) - Number(roughly(wanted)[i]?.[k + 1]))),
        )
        expect(drift.flat().every((minutes) => Math.abs(minutes) <= 1)).toBe(true)

        using second = openStore({ path: ':memory:', create: true })
        second.write(() => replaceContents(second, back))
        expect(timeless(contentsOf(second))).toEqual(timeless(wanted))
        const here = new SqliteQueue(second, { clock: { now: () => now } })
        const ids = async (queue: SqliteQueue | PostgresQueue) =>
          (await queue.ready({ limit: 100 })).map((each) => each.id)
        expect(await ids(there)).toEqual(await ids(here))
      }),
      { numRuns: 25 },
    )
  })
})

test('the canonical text of two sets of tasks is equal exactly if they do not differ, in any order', () => {
  fc.assert(
    fc.property(contents, fc.tuple(...IDS.map(task)), ({ tasks }, others) => {
      const records = tasks.map((each) => each.record)
      expect(differences(records, [...records].reverse())).toEqual([])
      const mixed = records.map((each) => others.find((other) => other.record.id === each.id)?.record ?? each)
      expect(differences(records, mixed).length === 0).toBe(canonicalText(records) === canonicalText(mixed))
      const [lost, ...rest] = records
      if (lost === undefined) return
      expect(differences(records, rest)).toEqual([{ id: lost.id, what: 'missing' }])
      expect(differences(rest, records)).toEqual([{ id: lost.id, what: 'new' }])
    }),
  )
})

test('what bd cannot store is reported, and nothing else is omitted', () => {
  const edge = (on: string) => ({ depends_on_id: on, type: 'blocks', created_by: 'anna' })
  const comment = (id: string) => ({ id, author: 'a', text: 'same', created_at: '2026-03-01T00:00:00Z' })
  const odd = record({
    id: 'fleet-a',
    x_own: 1,
    lease_expires_at: '2026-03-01T00:00:00Z',
    dependencies: [edge('fleet-b'), edge('fleet-gone'), edge('external:x')],
    comments: [comment('1'), comment('2')],
  })
  const kept = { nextChild: 1, token: 0, leaseUntil: null, notBefore: null }
  const all: Contents = {
    prefix: 'fleet',
    tasks: [odd, record({ id: 'fleet-b' })].map((each) => ({ record: each, ...kept })),
    history: [],
  }
  const { contents: held, omitted } = contentsForBd(all, 'fleet')
  expect(omitted).toEqual([
    'the field x_own of 1 task',
    '1 dependency on tasks that do not exist',
    '1 comment with the same text, author and second as another',
  ])
  expect(
    differences(
      [odd, record({ id: 'fleet-b' })],
      held.tasks.map((each) => each.record),
    ),
  ).toEqual(
    [{ id: 'fleet-a', what: ['dependencies', 'comments', 'lease_expires_at', 'x_own'].sort() }].map(({ id, what }) => ({
      id,
      what: expect.arrayContaining(what),
    })),
  )
})

test('a due deferral that the mirror has opened and bd still shows does not prevent a migration', () => {
  const shown = record({ id: 'fleet-a', status: 'deferred', defer_until: '2026-01-01T00:00:00Z' })
  const opened = { ...shown, status: 'open' as const, defer_until: null }
  const kept = { record: opened, nextChild: 1, token: 0, leaseUntil: null, notBefore: null }
  const mirror = { prefix: 'fleet', tasks: [kept], history: [] }
  expect(merge([shown], mirror, '2026-01-02T00:00:00Z').tasks).toEqual([{ ...kept, record: shown }])
  expect(() => merge([shown], mirror, '2025-12-31T00:00:00Z')).toThrow('somebody is writing to it')
})
