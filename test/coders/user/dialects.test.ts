import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configuredCoder } from '../../../src/coders/user/configured.ts'
import { emptyDigest, figuresOf, fold } from '../../../src/domain/run/digest.ts'
import type { Exit } from '../../../src/domain/run/run.ts'
import type { Coder } from '../../../src/ports/coder.ts'
import { streamsOf } from '../../support/coder-streams.ts'
import { DROID, QWEN } from '../../support/dialect-recordings.ts'

/** As `[coders.<name>]` of runtime.toml makes it. */
async function configured(name: string, format: string): Promise<Coder> {
  const coder = await configuredCoder(name, { command: [name], format })
  if (coder === undefined) throw new Error(`nobody can read ${format}`)
  return coder
}

describe.each([
  { name: 'qwen', recordings: QWEN },
  { name: 'droid', recordings: DROID },
])('$name, with format = "claude",', async ({ name, recordings }) => {
  const { names, shown } = streamsOf(await configured(name, 'claude'))

  test('has an expectation of every recording, and a recording of every expectation', () => {
    expect(names.sort()).toEqual(Object.keys(recordings).sort())
  })

  test.each(Object.entries(recordings))('%s is judged and counted as it was', (recording, expected) => {
    expect(shown(recording, expected.exit)).toEqual(expected)
  })
})

/** CLIs and languages that fleet does not read: somebody will configure them all the same. */
const STRANGERS = resolve(import.meta.dirname, '../../fixtures/coders/strangers')
const names = readdirSync(STRANGERS).filter((file) => file.endsWith('.jsonl'))
const WELL = /-ok\.jsonl$/

/** What the CLI said; where both directions of a pipe were recorded, only its own. */
function linesOf(name: string): readonly string[] {
  const lines = readFileSync(resolve(STRANGERS, name), 'utf8').split('\n').slice(0, -1)
  if (!/^(?:acp|codex-app)-/.test(name)) return lines
  return lines.map((line) => JSON.parse(line)).flatMap(({ dir, msg }) => (dir === '<' ? JSON.stringify(msg) : []))
}

const EXITS: readonly Exit[] = [{ kind: 'unknown' }, { kind: 'code', code: 1 }, { kind: 'code', code: 137 }]
const LEFT: Exit = { kind: 'code', code: 0 }

test.each(['claude', 'codex', 'gemini', 'opencode', 'agy', 'text'])(
  'read as %s, no stranger stops a run, and none that failed has finished',
  async (format) => {
    const coder = await configured('stranger', format)
    for (const name of names) {
      const digest = emptyDigest()
      for (const line of linesOf(name)) for (const event of coder.parse(line)) fold(digest, event, 1)
      figuresOf(digest)
      // A program that prints only text is taken at its exit.
      const exits = format === 'text' ? EXITS : [...EXITS, LEFT]
      const kinds = exits.map((exit) => coder.verdict(exit, digest, '').kind)
      if (!WELL.test(name)) expect({ name, kinds }).toEqual({ name, kinds: exits.map(() => 'failed') })
    }
  },
)
