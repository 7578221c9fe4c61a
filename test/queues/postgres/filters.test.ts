import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CountGroup, SortField, TaskQuery, TaskStore } from '../../../src/ports/task-store.ts'
import { openPostgresStore } from '../../../src/queues/postgres/open.ts'
import { PostgresQueue } from '../../../src/queues/postgres/queue.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { localQueue, NOW, record } from '../store.ts'

const DAYS = ['2026-05-20', '2026-05-31', '2026-06-01', '2026-06-02'].map((day) => `${day}T12:00:00Z`)
const WORDS = ['Fix it', 'fix ÄÖ', '100%', 'under_score', 'back\\slash', 'gh-9', '']
const LABELS = ['tech-a', 'tech-b', 'ui', 'Ä']
const METADATA = [{}, { a: '1' }, { a: 1, b: null }, { a: true }, { b: { c: [1] } }, { b: 'x y' }]

/** Forty tasks that differ in every property a query can filter by. */
function population() {
  return Array.from({ length: 40 }, (_, i) => {
    const from = <T>(values: readonly T[], step: number): T => values[(i * step) % values.length] as T
    const status = from(['open', 'in_progress', 'blocked', 'deferred', 'closed', 'pinned', 'review'], 3)
    const parent = i > 0 && i % 4 === 0 ? [i - 4] : []
    const on = i > 0 && i % 3 === 0 ? [i - 1] : []
    const edge = (to: number, type: string) => ({ depends_on_id: `fleet-${to}`, issue_id: `fleet-${i}`, type })
    return record({
      id: `fleet-${i}`,
      title: from(WORDS, 2) || 'untitled',
      description: from(WORDS, 5),
      notes: from(WORDS, 3),
      spec_id: from(['spec-1', 'SPEC-2', ''], 1),
      status,
      priority: i % 5,
      issue_type: from(['task', 'bug', 'epic', 'feature'], 7),
      assignee: from(['', '', 'anna', 'Bob'], 5),
      external_ref: from(['gh-9', 'jira-10', null, null], 3) ?? undefined,
      created_at: from(DAYS, 1),
      updated_at: from(DAYS, 3),
      ...(status === 'closed' ? { closed_at: from(DAYS, 1) } : {}),
      due_at: from([...DAYS, undefined], 2),
      defer_until: status === 'deferred' ? from([...DAYS, undefined], 1) : undefined,
      metadata: from(METADATA, 1),
      labels: LABELS.filter((_, n) => (i >> n) % 2 === 1),
      ephemeral: i % 11 === 0,
      is_template: i % 13 === 0,
      pinned: i % 9 === 0,
      dependencies: [...parent.map((to) => edge(to, 'parent-child')), ...on.map((to) => edge(to, 'related'))],
    })
  })
}

const some = (values: readonly string[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 })
const day = fc.constantFrom(...DAYS, '2026-06-01T00:00:00Z')
const word = fc.constantFrom('fix', 'FIX', 'ä', '%', '_', '\\', 'gh-9', 'fleet-1', '', 'spec')
const yes = fc.boolean()

/** Only a few conditions at a time: all together would match nothing. */
const anyQuery: fc.Arbitrary<TaskQuery> = fc
  .record<Required<TaskQuery>>({
    ids: some(['fleet-1', 'fleet-2', 'fleet-10', 'other']),
    statuses: some(['open', 'closed', 'blocked', 'review', 'none']),
    notStatuses: some(['open', 'closed']),
    types: some(['task', 'bug', 'epic']),
    notTypes: some(['task', 'bug']),
    priority: fc.nat(4),
    priorityMin: fc.nat(4),
    priorityMax: fc.nat(4),
    assignee: fc.constantFrom('', 'anna', 'bob'),
    labelsAll: some(LABELS),
    labelsAny: some(LABELS),
    notLabels: some(LABELS),
    labelPattern: fc.constantFrom('tech-*', '*', '?', '[tu]*', 'none'),
    labelRegex: fc.constantFrom('^tech', 'i$', 'Ä|b', 'none'),
    noLabels: yes,
    parent: fc.constantFrom('fleet-0', 'fleet-4', 'other'),
    recursive: yes,
    noParent: yes,
    text: word,
    titleContains: word,
    descriptionContains: word,
    notesContains: word,
    externalContains: word,
    externalRef: fc.constantFrom('gh-9', 'GH-9'),
    emptyDescription: yes,
    specPrefix: fc.constantFrom('spec', 'SPEC-2', '%'),
    createdAfter: day,
    createdBefore: day,
    updatedAfter: day,
    updatedBefore: day,
    closedAfter: day,
    closedBefore: day,
    dueAfter: day,
    dueBefore: day,
    deferAfter: day,
    deferBefore: day,
    deferred: yes,
    overdueAt: day,
    metadata: fc.constantFrom({}, { a: '1' }, { a: 'true' }, { b: 'null' }, { b: '{"c":[1]}' }, { a: '1', b: 'null' }),
    hasMetadataKey: fc.constantFrom('a', 'b', 'c'),
    pinned: yes,
    template: yes,
    ephemeral: yes,
    ready: yes,
    includeDeferred: yes,
    includeEphemeral: yes,
    sort: fc.constantFrom<SortField>(
      ...(['priority', 'created', 'updated', 'closed', 'status', 'id', 'title'] as const),
      ...(['type', 'assignee', 'claim', 'ready', 'oldest', 'hybrid'] as const),
    ),
    reverse: yes,
    limit: fc.nat(50),
  })
  .chain((all) =>
    fc.uniqueArray(fc.constantFrom(...(Object.keys(all) as (keyof TaskQuery)[])), { maxLength: 4 }).map((names) => ({
      ...Object.fromEntries(names.map((name) => [name, all[name]])),
      sort: all.sort,
      reverse: all.reverse,
    })),
  )

async function answers(store: TaskStore, query: TaskQuery, group: CountGroup): Promise<unknown> {
  const found: unknown[] = []
  for await (const task of store.find(query)) found.push(task)
  return { found, count: await store.count(query), groups: await store.countBy(query, group) }
}

describeWithPostgres('the Postgres store', (server) => {
  test('finds, sorts and counts the same tasks as the SQLite store for any query', { timeout: 200_000 }, async () => {
    const store = await openPostgresStore({ url: server.newUrl(), create: true })
    await using postgres = new PostgresQueue(store, { clock: { now: () => Date.parse(NOW) } })
    const sqlite = localQueue()
    const how = [await sqlite.import(population(), {}, 'anna'), await postgres.import(population(), {}, 'anna')]
    expect(how[1]).toEqual(how[0])
    const group = fc.constantFrom<CountGroup>('status', 'priority', 'type', 'assignee', 'label')
    await fc.assert(
      fc.asyncProperty(anyQuery, group, async (query, by) => {
        expect([query, await answers(postgres, query, by)]).toEqual([query, await answers(sqlite, query, by)])
      }),
      { numRuns: 400 },
    )
    for (const text of ['fleet-1', '1', '3', 'fleet-', '999', 'fleet-39x', '']) {
      expect([text, await postgres.resolve(text)]).toEqual([text, await sqlite.resolve(text)])
    }
    expect(await postgres.labels()).toEqual(await sqlite.labels())
  })
})
