import type { Outcome } from '../run/outcome.ts'
import { bounded } from '../text/bounded.ts'
import { type CommandEnd, endText } from '../verify/verification.ts'

/** The answer of a coder that reviewed another's work. */
export type ReviewAnswer =
  | AgentVerdict
  /** Only a person can say whether the work is good. */
  | { readonly verdict: 'none'; readonly why: string }

export type AgentVerdict =
  | { readonly verdict: 'pass' }
  | { readonly verdict: 'reject'; readonly reasons: readonly string[] }

export interface ReviewerEnd {
  readonly end: CommandEnd
  /** Its last message. */
  readonly said: string
  /** By its own output; undefined: none. */
  readonly trouble: Outcome | undefined
}

/** A verdict counts only if its process ended well: one that was cut short may have said it of a part of the work. */
export function reviewAnswer({ end, said, trouble }: ReviewerEnd): ReviewAnswer {
  const failed = { verdict: 'none', why: `its process ${endText(end)}` } as const
  if (end.kind !== 'exited') return failed
  if (trouble !== undefined) return { verdict: 'none', why: trouble.text }
  if (end.code !== 0) return failed
  return verdictIn(said) ?? { verdict: 'none', why: 'its last message had no valid verdict' }
}

/** Trouble of a reviewer's account or its provider, which says nothing about the review: it goes on when the lane is up. */
export function isOfAccount({ code }: Outcome): boolean {
  return OF_ACCOUNT.has(code)
}

const OF_ACCOUNT: ReadonlySet<Outcome['code']> = new Set(['usage-limit', 'overload', 'network', 'login', 'billing'])

const MOST_REASONS = 20
const LONGEST_REASON = 1000

/** The verdict at the end of a reviewer's last message; undefined: it holds none. The answer is data, so it is checked. */
export function verdictIn(message: string): AgentVerdict | undefined {
  const last = message
    .split('\n')
    .map((each) => each.trim())
    .findLast((each) => each.startsWith('{') && each.endsWith('}'))
  const answer = last === undefined ? undefined : parsed(last)
  if (answer?.['verdict'] === 'pass') return { verdict: 'pass' }
  if (answer?.['verdict'] !== 'reject' || !Array.isArray(answer['reasons'])) return undefined
  const reasons = answer['reasons']
    .filter((each): each is string => typeof each === 'string' && each.trim() !== '')
    .slice(0, MOST_REASONS)
    .map((each) => bounded(each.trim(), LONGEST_REASON))
  return reasons.length === 0 ? undefined : { verdict: 'reject', reasons }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}
