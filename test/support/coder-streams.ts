import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Digest, emptyDigest, figuresOf, fold } from '../../src/domain/run/digest.ts'
import type { Outcome } from '../../src/domain/run/outcome.ts'
import type { Figures } from '../../src/domain/run/run.ts'
import type { Coder, Verdict } from '../../src/ports/coder.ts'

/** What a recording shows, read from the recording itself and from knowledge of the CLI, never from the parser. */
export interface Recording {
  /** As a shell reports it: 128 and the signal. */
  readonly exit: number
  readonly verdict: Verdict
  readonly figures: Shown
  readonly denied: number
  readonly results: number
}

type Shown = Omit<Figures, 'events' | 'lastEventAt'>

export const finished: Verdict = { kind: 'finished' }

export function failed(code: Outcome['code'], text: string, resetsAt?: number): Verdict {
  return { kind: 'failed', outcome: { code, text, ...(resetsAt === undefined ? {} : { resetsAt }) } }
}

/** Nothing reported. */
export const SILENT: Shown = {
  session: null,
  servedModel: null,
  coderVersion: null,
  usage: {},
  costUsd: null,
  contextPeak: null,
  contextNow: null,
  contextWindow: null,
  toolCalls: 0,
  openTool: null,
  silence: null,
  estimated: true,
}

/** The recorded streams of one coder, below test/fixtures/coders. */
export function streamsOf(coder: Coder) {
  const folder = resolve(import.meta.dirname, '../fixtures/coders', coder.name)
  const digestOf = (lines: readonly string[]): Digest => {
    const digest = emptyDigest()
    for (const line of lines) for (const event of coder.parse(line)) fold(digest, event, toldAt(line))
    return digest
  }
  const linesOf = (name: string): readonly string[] =>
    readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .split('\n')
      .slice(0, -1)
  /** The part that a supervisor reads. */
  const stderrOf = (name: string): string => {
    const path = join(folder, `${name}.stderr`)
    return existsSync(path) ? readFileSync(path).subarray(-4096).toString() : ''
  }
  return {
    names: readdirSync(folder)
      .filter((file) => file.endsWith('.jsonl'))
      .map((file) => file.slice(0, -'.jsonl'.length)),
    digestOf,
    linesOf,
    stderrOf,
    shown(name: string, exit: number): Recording {
      const digest = digestOf(linesOf(name))
      const { events: _events, lastEventAt: _at, costUsd, ...figures } = figuresOf(digest)
      return {
        exit,
        verdict: coder.verdict({ kind: 'code', code: exit }, digest, stderrOf(name)),
        figures: { ...figures, costUsd: costUsd === null ? null : Number(costUsd.toFixed(9)) },
        denied: digest.denied,
        results: digest.results,
      }
    },
  }
}

/** The line's own time: fleet reads it as soon as it is written. */
function toldAt(line: string): number {
  try {
    const { timestamp } = JSON.parse(line)
    return new Date(timestamp).getTime() || 0
  } catch {
    return 0
  }
}
