import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineOf, memoryLine, recordOf, type TaskRecord } from '../../../src/domain/task/interchange.ts'

const NOW = '2026-01-01T00:00:00Z'
const COUNTS = { dependency_count: 0, dependent_count: 0, comment_count: 0 }

const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((each) => each.replaceAll('\0', ''))
const word = fc.stringMatching(/^[a-z][a-z0-9_-]{0,20}$/)
const id = fc.stringMatching(/^[a-z]{1,5}-[a-z0-9]{3,6}(\.[1-9]){0,2}$/)
const time = fc
  .date({ min: new Date('1970-01-02T00:00:00Z'), max: new Date('9998-01-01T00:00:00Z'), noInvalidDate: true })
  .map((each) => `${each.toISOString().slice(0, 19)}Z`)
const json = fc.jsonValue().filter((each) => !JSON.stringify(each).includes('\\u0000'))
const object = fc.dictionary(word, json, { maxKeys: 3 })
const maybe = <T>(each: fc.Arbitrary<T>) => fc.option(each, { nil: null })

const record: fc.Arbitrary<TaskRecord> = fc
  .record({
    id,
    title: text.map((each) => `t${each}`),
    description: text,
    design: text,
    acceptance_criteria: text,
    notes: text,
    spec_id: text,
    status: fc.constantFrom('open', 'in_progress', 'closed', 'my_own'),
    priority: fc.integer({ min: 0, max: 4 }),
    issue_type: word,
    assignee: text,
    owner: text,
    estimated_minutes: maybe(fc.nat()),
    created_at: time,
    created_by: text,
    updated_at: time,
    started_at: maybe(time),
    closed_at: time,
    close_reason: text,
    closed_by_session: text,
    due_at: maybe(time),
    defer_until: maybe(time),
    external_ref: maybe(text.map((each) => `r${each}`)),
    metadata: object,
    pinned: fc.boolean(),
    ephemeral: fc.boolean(),
    is_template: fc.boolean(),
    extra: fc.dictionary(
      word.map((each) => `x_${each}`),
      json.filter((each) => each !== null),
    ),
    labels: fc.uniqueArray(text.map((each) => `l${each}`)).map((each) => each.sort()),
    dependencies: fc.array(
      fc.record({
        issue_id: id,
        depends_on_id: id,
        type: word,
        created_at: time,
        created_by: text,
        metadata: object.map((each) => JSON.stringify(each)),
        thread_id: text,
      }),
    ),
    comments: fc.array(fc.record({ id: fc.uuid(), issue_id: id, author: text, text, created_at: time })),
  })
  .map((each) => ({
    ...each,
    closed_at: each.status === 'closed' ? each.closed_at : null,
    comments: each.comments.map((comment) => ({ ...comment, issue_id: each.id })),
  }))

describe('one line of the interchange format', () => {
  test('a written record is read back unchanged', () => {
    fc.assert(
      fc.property(record, (each) => {
        const read = recordOf(JSON.stringify(lineOf(each, COUNTS)), NOW)
        // Through JSON first, which has no minus zero.
        expect(read).toEqual({ kind: 'record', record: JSON.parse(JSON.stringify(each)) })
      }),
    )
  })

  test('any JSON is read, skipped, or refused with a reason', () => {
    fc.assert(
      fc.property(fc.json(), (line) => {
        const read = recordOf(line, NOW)
        if (read.kind === 'wrong') expect(read.why).not.toBe('')
        if (read.kind === 'record') expect(read.record.title).not.toBe('')
      }),
    )
  })

  test.each([
    ['not json', /^not JSON/],
    ['[1]', 'expected an object, found an array'],
    ['"x"', 'expected an object, found "x"'],
    ['{"id":"fleet-a"}', 'fleet-a: title is required'],
    ['{"id":"../evil","title":"x"}', /^"\.\.\/evil" is not a usable id/],
    ['{"id":"--flag","title":"x"}', /is not a usable id/],
    ['{"id":7,"title":"x"}', 'id: expected a string, found 7'],
    ['{"id":"fleet-a","title":"n\\u0000x"}', 'title: contains a NUL character'],
    ['{"id":"fleet-a","title":"x","metadata":{"a":["\\u0000"]}}', 'metadata: contains a NUL character'],
    ['{"id":"fleet-a","title":"x","priority":9}', 'fleet-a: priority must be between 0 and 4 (got 9)'],
    ['{"id":"fleet-a","title":"x","priority":"1"}', 'priority: expected a whole number, found "1"'],
    ['{"id":"fleet-a","title":"x","priority":1.5}', 'priority: expected a whole number, found 1.5'],
    ['{"id":"fleet-a","title":"x","pinned":"yes"}', 'pinned: expected true or false, found "yes"'],
    ['{"id":"fleet-a","title":"x","labels":[1]}', 'labels[0]: expected a string, found 1'],
    ['{"id":"fleet-a","title":"x","status":"no such"}', 'fleet-a: invalid status: no such'],
    ['{"id":"fleet-a","title":"x","created_at":"yesterday"}', /^created_at: expected a time such as/],
    ['{"id":"fleet-a","title":"x","created_at":"2026-02-30T00:00:00Z"}', /^created_at: expected a time such as/],
    ['{"id":"fleet-a","title":"x","created_at":"2026-02-03T00:00:00"}', /^created_at: expected a time such as/],
    ['{"id":"fleet-a","title":"x","dependencies":[{}]}', 'dependencies[0].depends_on_id is missing'],
    ['{"id":"fleet-a","title":"x","comments":[{"text":1}]}', 'comments[0].text: expected a string, found 1'],
    ['{"id":"fleet-a","title":"x","closed_at":"2026-01-01T00:00:00Z"}', /non-closed issues cannot have closed_at/],
  ])('%s is refused, and the field is named', (line, why) => {
    expect(recordOf(line, NOW)).toEqual({
      kind: 'wrong',
      why: typeof why === 'string' ? why : expect.stringMatching(why),
    })
  })

  test.each([
    ['{"_schema":"beads-jsonl/1"}', 'header'],
    ['{"id":"fleet-a","title":"x","status":"tombstone"}', 'tombstone'],
  ])('%s is not a task and is skipped', (line, what) => {
    expect(recordOf(line, NOW)).toEqual({ kind: 'skipped', what })
  })

  test('a memory is read back as it was written, and a wrong one is refused', () => {
    expect(recordOf(JSON.stringify(memoryLine('k', 'v')), NOW)).toEqual({ kind: 'memory', key: 'k', value: 'v' })
    for (const wrong of [
      { key: '', value: 'v' },
      { value: 'v' },
      { key: 'k' },
      { key: 'k', value: 1 },
      { key: 'k', value: '\0' },
    ]) {
      expect(recordOf(JSON.stringify({ _type: 'memory', ...wrong }), NOW)).toMatchObject({ kind: 'wrong' })
    }
  })

  test('missing fields get the same defaults as in bd', () => {
    const read = recordOf(
      '{"title":"x","status":"closed","wisp":true,"comments":[{"id":7,"author":"a","text":"t"}]}',
      NOW,
    )
    expect(read).toMatchObject({
      kind: 'record',
      record: {
        id: '',
        priority: 0,
        issue_type: 'task',
        ephemeral: true,
        created_at: NOW,
        closed_at: '2026-01-01T00:00:01Z',
        comments: [{ id: '7', created_at: NOW }],
      },
    })
  })

  test('times become UTC, rounded to the nearest second', () => {
    const read = recordOf(
      '{"title":"x","created_at":"2026-03-01T12:00:00.5+02:00","updated_at":"0001-01-01T00:00:00Z"}',
      NOW,
    )
    expect(read).toMatchObject({ record: { created_at: '2026-03-01T10:00:01Z', updated_at: NOW } })
  })

  test('unknown fields are kept, in their place', () => {
    const line = `{"_type":"issue","id":"fleet-a","title":"x","priority":2,"created_at":"${NOW}","updated_at":"${NOW}","metadata":[1],"sender":"s","mol_type":"swarm","new_in_2030":{"a":1},"dependency_count":0,"dependent_count":0,"comment_count":0,"wisp_plane":true}`
    const read = recordOf(line, NOW)
    if (read.kind !== 'record') throw new Error(JSON.stringify(read))
    const { status: _status, issue_type: _type, ...same } = lineOf(read.record, COUNTS)
    expect(JSON.stringify(same)).toBe(line)
  })
})
