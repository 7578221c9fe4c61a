import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agy } from '../../src/coders/agy/coder.ts'
import { claude } from '../../src/coders/claude/coder.ts'
import { codex } from '../../src/coders/codex/coder.ts'
import { gemini } from '../../src/coders/gemini/coder.ts'
import { opencode } from '../../src/coders/opencode/coder.ts'
import type { CoderEvent } from '../../src/domain/run/event.ts'
import { LineSplitter } from '../../src/domain/text/lines.ts'
import type { Coder } from '../../src/ports/coder.ts'
import { streamsOf } from '../support/coder-streams.ts'
import { unprinted } from '../support/prints.ts'

/** The tool calls that begin or end in these events. */
function calls(events: readonly CoderEvent[]): unknown[] {
  return events.flatMap((event): object[] => {
    if (event.type === 'tool-started') return [{ started: event.id, name: event.name, kind: event.kind }]
    return event.type === 'tool-ended' ? [{ ended: event.id, failed: event.failed }] : []
  })
}

function linesWithCalls(coder: Coder): readonly string[] {
  const { names, linesOf } = streamsOf(coder)
  const all = new Set(names.flatMap((name) => linesOf(name)))
  return [...all].filter((line) => calls(coder.parse(line)).length > 0)
}

const LONGEST = 50_000

/** As a supervisor reads it, where a line may have no more than LONGEST bytes. */
function readShort(coder: Coder, line: string): readonly CoderEvent[] {
  const events: CoderEvent[] = []
  const splitter = new LineSplitter(0, { longest: LONGEST })
  const bytes = Buffer.from(`${line}\n`)
  for (let at = 0; at < bytes.length; at += 16_384) {
    splitter.feed(bytes.subarray(at, at + 16_384), (short) => {
      expect(short?.length).toBeLessThan(1_000_000)
      events.push(...coder.parse(short ?? ''))
    })
  }
  return events
}

/** All objects of a document, outermost first. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside]
}

const PADDINGS = {
  'a text': 'x'.repeat(2 * LONGEST),
  'a text of escapes': '\n"\\\u0001'.repeat(LONGEST / 2),
  'many numbers': Array.from({ length: 300_000 }, (_, n) => n),
  'many objects': Array.from({ length: 20_000 }, (_, n) => ({ line: n, text: 'of a table "and more"' })),
}

describe.each([claude, codex, gemini, opencode, agy])('$name', (coder) => {
  const lines = linesWithCalls(coder)

  test('a call in a line that is too long to be kept is still the same call', () => {
    expect(lines.length).toBeGreaterThan(2)
    fc.assert(
      fc.property(
        fc.constantFrom(...lines),
        fc.nat(1000),
        fc.boolean(),
        fc.constantFrom(...(Object.keys(PADDINGS) as (keyof typeof PADDINGS)[])),
        (line, which, first, kind) => {
          const document = JSON.parse(line)
          const objects = objectsIn(document)
          const target = objects[which % objects.length] as Record<string, unknown>
          const rest = { ...target }
          for (const key of Object.keys(target)) delete target[key]
          // Where it stands before what names the call, and after it.
          Object.assign(
            target,
            first ? { content_of: PADDINGS[kind], ...rest } : { ...rest, content_of: PADDINGS[kind] },
          )
          const long = JSON.stringify(document)
          expect(long.length).toBeGreaterThan(LONGEST)
          expect(calls(readShort(coder, long))).toEqual(calls(coder.parse(line)))
        },
      ),
      { numRuns: 40 },
    )
  })
})

test('a call of 20 MB is one tool call in the stream of a run', () => {
  const part = {
    type: 'tool_use',
    id: 'toolu_1',
    name: 'Write',
    input: { file_path: 'x', content: 'y\n'.repeat(10 << 20) },
  }
  const line = Buffer.from(`${JSON.stringify({ type: 'assistant', message: { id: 'm', content: [part] } })}\n`)
  const splitter = new LineSplitter()
  const events: CoderEvent[] = []
  for (let at = 0; at < line.length; at += 1 << 18) {
    splitter.feed(line.subarray(at, at + (1 << 18)), (short) => events.push(...claude.parse(short ?? '')))
  }
  expect(unprinted(events)).toEqual([
    { type: 'tool-started', id: 'toolu_1', name: 'Write', kind: 'edit', detail: 'x', paths: ['x'] },
  ])
})
