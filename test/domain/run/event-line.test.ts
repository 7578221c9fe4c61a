import { expect, test } from 'vitest'
import { eventLine } from '../../../src/domain/run/event-line.ts'
import { EVENTS } from '../../docs/events-reference.ts'

const where = { ts: '2026-11-15T09:30:00.000Z', attempt: 2, run: 'r', at: 430 }
const base = { v: 1, ...where }
const asIs = (text: string): string => text

test('a tool call has its event kind, the tool and the kind of tool in separate fields', () => {
  const event = { type: 'tool-started', id: 't1', name: 'Write', kind: 'edit', detail: 'a.js' } as const
  expect(eventLine(event, where, asIs)).toEqual({
    ...base,
    kind: 'tool-started',
    id: 't1',
    tool: 'Write',
    tool_kind: 'edit',
    detail: 'a.js',
  })
})

test('a session id is in the field `session`', () => {
  expect(eventLine({ type: 'session', id: 's', model: 'm' }, where, asIs)).toEqual({
    ...base,
    kind: 'session',
    session: 's',
    model: 'm',
  })
})

test('texts are redacted and cut at any depth', () => {
  const trouble = { code: 'error', text: `secret ${'x'.repeat(3000)}` } as const
  expect(eventLine({ type: 'trouble', trouble }, where, (text) => text.replace('secret', '[…]'))).toEqual({
    ...base,
    kind: 'trouble',
    trouble: { code: 'error', text: `[…] ${'x'.repeat(1996)}… (3004 characters)` },
  })
})

test('no event overwrites the fields that every line has', () => {
  for (const [kind, { example }] of Object.entries(EVENTS)) {
    expect(eventLine(example, where, asIs)).toMatchObject({ ...base, kind })
  }
})
