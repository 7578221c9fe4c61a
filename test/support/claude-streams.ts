import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { claude } from '../../src/coders/claude/coder.ts'
import { type Digest, emptyDigest, fold } from '../../src/domain/run/digest.ts'

export const FOLDER = resolve(import.meta.dirname, '../fixtures/coders/claude')
/** Within the hour before the limits in the recordings reset. */
export const SEEN = Date.parse('2026-11-15T18:20:00Z')

/** claude's output, line by line; without its input where both directions were recorded. */
export function linesOf(name: string): readonly string[] {
  const lines = readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, -1)
  if (!name.startsWith('sj-')) return lines
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ dir }) => dir === '<')
    .map(({ msg }) => JSON.stringify(msg))
}

export function stderrOf(name: string): string {
  const path = join(FOLDER, `${name}.stderr`)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

export function digestOf(lines: readonly string[]): Digest {
  const digest = emptyDigest()
  for (const line of lines) for (const event of claude.parse(line)) fold(digest, event, SEEN)
  return digest
}
