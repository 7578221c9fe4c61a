import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { claude } from '../../src/coders/claude/coder.ts'
import { codex } from '../../src/coders/codex/coder.ts'
import { gemini } from '../../src/coders/gemini/coder.ts'
import { opencode } from '../../src/coders/opencode/coder.ts'
import type { Run } from '../../src/domain/run/run.ts'
import { redact } from '../../src/domain/text/redact.ts'
import { transcriptJson } from '../../src/views/json/transcript.ts'
import { Turns } from '../../src/views/transcript.ts'
import { brokenLines, twistedLines } from '../support/odd-lines.ts'

const fixtures = resolve(import.meta.dirname, '../fixtures/coders')

function recorded(name: string): string[] {
  return readdirSync(join(fixtures, name))
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(join(fixtures, name, file), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{'))
}

describe.each([claude, codex, gemini, opencode])('the output of the tools of $name', (coder) => {
  const lines = recorded(coder.name)

  test('belongs to a call that ends in the same line', () => {
    const found = lines.flatMap((line) => {
      const ended = coder.parse(line).flatMap((event) => (event.type === 'tool-ended' ? [event.id] : []))
      return (coder.outputs?.(line) ?? []).map(({ id }) => ended.includes(id))
    })
    expect(found).toContain(true)
    expect(found).not.toContain(false)
  })

  test('is read from any line without a throw', () => {
    fc.assert(
      fc.property(fc.oneof(brokenLines(lines), twistedLines(lines)), (line) => {
        for (const { text } of coder.outputs?.(line) ?? []) expect(typeof text).toBe('string')
      }),
    )
  })
})

test('an answer that comes in pieces is one text', () => {
  const turns = new Turns(gemini, redact)
  for (const content of ['I look', ' at the', ' cart.']) {
    turns.read(JSON.stringify({ type: 'message', role: 'assistant', content, delta: true }))
  }
  turns.read(JSON.stringify({ type: 'tool_use', tool_id: 't', tool_name: 'read_file', parameters: { path: 'a' } }))
  turns.read(
    JSON.stringify({ type: 'tool_result', tool_id: 't', status: 'success', output: 'sk-12345678901234567890' }),
  )
  expect(turns.all).toEqual([
    { kind: 'said', text: 'I look at the cart.', subagent: false },
    { kind: 'tool', id: 't', name: 'read_file', detail: 'a' },
    { kind: 'output', id: 't', failed: false, text: '[redacted]' },
  ])
})

test('no string of a transcript shows a secret: a tool and its input, a prompt, an answer that splits a key', () => {
  const key = 'sk-12345678901234567890'
  const turns = new Turns(gemini, redact)
  turns.add({ kind: 'prompt', text: `use ${key}` })
  for (const content of ['I use sk-1234567', '8901234567890 now']) {
    turns.read(JSON.stringify({ type: 'message', role: 'assistant', content, delta: true }))
  }
  const parameters = { command: `curl -H "Authorization: Bearer ${key}"` }
  turns.read(JSON.stringify({ type: 'tool_use', tool_id: 't', tool_name: `run a`, parameters }))
  turns.read(JSON.stringify({ type: 'tool_use', tool_id: 'u', tool_name: `run ${key}`, parameters: {} }))
  const { turns: shown } = transcriptJson({ task: 'fleet-a', run: {} as Run, turns: turns.all })
  expect(JSON.stringify(shown)).not.toContain('1234567')
  expect(turns.all.slice(0, 2)).toEqual([
    { kind: 'prompt', text: 'use [redacted]' },
    { kind: 'said', text: 'I use [redacted] now', subagent: false },
  ])
  expect(turns.all.slice(2)).toMatchObject([
    { kind: 'tool', detail: 'curl -H "Authorization: Bearer [redacted]"' },
    { kind: 'tool', name: 'run [redacted]' },
  ])
})
