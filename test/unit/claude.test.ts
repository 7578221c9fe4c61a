import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { claude } from '../../src/coders/claude.ts'
import { type Digest, emptyDigest, figuresOf, fold } from '../../src/domain/digest.ts'
import { RECORDINGS } from '../support/claude-recordings.ts'

const FOLDER = resolve(import.meta.dirname, '../fixtures/coders/claude')
/** Within the hour before the limits in the recordings lift. */
const SEEN = Date.parse('2026-11-15T18:20:00Z')

test('every recording has its expectation, and every expectation its recording', () => {
  const recorded = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'))
  expect(recorded.map((file) => file.slice(0, -'.jsonl'.length)).sort()).toEqual(Object.keys(RECORDINGS).sort())
})

test.each(Object.entries(RECORDINGS))('%s is judged and counted as it was', (name, recording) => {
  const digest = digestOf(linesOf(name))
  const { events: _events, lastEventAt: _at, costUsd, ...figures } = figuresOf(digest)
  const shown = {
    exit: recording.exit,
    verdict: claude.verdict({ kind: 'code', code: recording.exit }, digest, stderrOf(name)),
    figures: { ...figures, costUsd: costUsd === null ? null : Number(costUsd.toFixed(9)) },
    denied: digest.denied,
    results: digest.results,
  }
  expect(shown).toEqual(recording)
})

function linesOf(name: string): readonly string[] {
  const lines = readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, -1)
  if (!name.startsWith('sj-')) return lines
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ dir }) => dir === '<')
    .map(({ msg }) => JSON.stringify(msg))
}

function stderrOf(name: string): string {
  const path = join(FOLDER, `${name}.stderr`)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function digestOf(lines: readonly string[]): Digest {
  const digest = emptyDigest()
  for (const line of lines) for (const event of claude.parse(line)) fold(digest, event, SEEN)
  return digest
}
