import { dirname, join } from 'node:path'
import type { CheckUsage } from '../domain/run/check-result.ts'
import { type Digest, emptyDigest, figuresOf, fold } from '../domain/run/digest.ts'
import type { Outcome } from '../domain/run/outcome.ts'
import { plus } from '../domain/run/usage.ts'
import type { CommandTry } from '../domain/verify/verification.ts'
import { readEnd } from '../platform/files/attempt-folder.ts'
import type { Coder } from '../ports/coder.ts'

export interface ReviewerOutput {
  /** Its last message. */
  readonly said: string
  /** By the coder's own rules; undefined: it got on. */
  readonly trouble: Outcome | undefined
  readonly usage: CheckUsage
}

/** The most of a reviewer's output that is read for its answer. */
const LAST_OUTPUT = 8 << 20
const LAST_WORDS = 4096

export function reviewerOutput({ log, end }: CommandTry, coder: Pick<Coder, 'parse' | 'verdict'>): ReviewerOutput {
  const digest = digestOf(readEnd(log, LAST_OUTPUT) ?? '', coder)
  const exit = end.kind === 'exited' ? ({ kind: 'code', code: end.code } as const) : ({ kind: 'unknown' } as const)
  const verdict = coder.verdict(exit, digest, readEnd(join(dirname(log), 'stderr.log'), LAST_WORDS) ?? '')
  return {
    said: digest.result?.text ?? digest.lastText,
    trouble: verdict.kind === 'failed' ? verdict.outcome : undefined,
    usage: figuresOf(digest, { earlierUsage: {} }),
  }
}

function digestOf(text: string, { parse }: Pick<Coder, 'parse'>): Digest {
  const digest = emptyDigest()
  for (const line of text.split('\n')) {
    if (line !== '') for (const event of parse(line)) fold(digest, event, Date.now())
  }
  return digest
}

/** Of several tries. */
export function usageOf(outputs: readonly Pick<ReviewerOutput, 'usage'>[]): CheckUsage {
  const costs = outputs.flatMap(({ usage }) => usage.costUsd ?? [])
  return {
    usage: outputs.map(({ usage }) => usage.usage).reduce(plus, {}),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost),
    estimated: outputs.some(({ usage }) => usage.estimated),
  }
}
