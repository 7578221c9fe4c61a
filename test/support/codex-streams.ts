import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { codex } from '../../src/coders/codex/coder.ts'
import { rolloutReader } from '../../src/coders/codex/rollout.ts'
import { type Digest, emptyDigest, fold } from '../../src/domain/run/digest.ts'
import type { CoderEvent } from '../../src/domain/run/event.ts'

export const FOLDER = resolve(import.meta.dirname, '../fixtures/coders/codex')
/** In local time, as codex prints the reset of a limit. */
export const SEEN = new Date(2026, 10, 15, 18, 27).getTime()

const read = new Map<string, readonly string[]>()

/** Cached: property tests ask a thousand times. */
export function linesOf(name: string): readonly string[] {
  const lines =
    read.get(name) ??
    readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
      .split('\n')
      .slice(0, -1)
  read.set(name, lines)
  return lines
}

export function stderrOf(name: string): string {
  const path = join(FOLDER, `${name}.stderr`)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The events of the run that started at `startedAt`, line by line. */
export function rolloutEvents(
  lines: readonly string[],
  run: { session: string; startedAt: number },
): readonly CoderEvent[] {
  const read = rolloutReader({ ...run, cwd: '/project', env: {} })
  return lines.flatMap((line) => read(line))
}

export function stdoutEvents(lines: readonly string[]): readonly CoderEvent[] {
  return lines.flatMap((line) => codex.parse(line))
}

export function digestOf(events: readonly CoderEvent[]): Digest {
  const digest = emptyDigest()
  for (const event of events) fold(digest, event, SEEN)
  return digest
}
