import type { OutcomeCode } from './outcome.ts'
import type { Review } from './review.ts'
import type { Run } from './run.ts'

/** After these outcomes a person decides, and a later attempt starts new work. */
const ENDS_CHAIN: ReadonlySet<OutcomeCode> = new Set(['done', 'needs-review', 'taken-away'])

/** Whether no later attempt continues the work of an attempt with this outcome. */
export function endsChain(code: OutcomeCode): boolean {
  return ENDS_CHAIN.has(code)
}

export interface ChainFacts {
  isSameFolder(one: string, other: string): boolean
  /** Its checks found out nothing about its work. */
  isUnjudged(run: Run): boolean
}

/**
 * The attempts whose work a run continues, oldest first, the run itself last. An earlier attempt that was stopped, hit a
 * limit or made no claim may have finished the work, so the run that continues it need not change anything itself.
 * `runs`: all runs of the task, oldest first.
 */
export function attemptChain(runs: readonly Run[], run: Run, { isSameFolder, isUnjudged }: ChainFacts): readonly Run[] {
  const found = [run]
  for (const earlier of runs.toReversed()) {
    if (earlier.attempt >= run.attempt) continue
    if (!isSameFolder(earlier.cwd, run.cwd) || earlier.outcome === null) break
    if (endsChain(earlier.outcome.code) && !isUnjudged(earlier)) break
    found.unshift(earlier)
  }
  return found
}

/**
 * The attempts whose work may be in the tree and that nobody has accepted, oldest first, the run itself last: a rejection
 * takes nothing out of the tree. `runs`, `reviews`: all of the task since its last landing, oldest first.
 */
export function unacceptedAttempts(
  run: Run,
  { runs, reviews }: { readonly runs: readonly Run[]; readonly reviews: readonly Review[] },
  isSameFolder: (one: string, other: string) => boolean,
): readonly Run[] {
  const found = [run]
  for (const earlier of runs.toReversed()) {
    if (earlier.attempt >= run.attempt || !isSameFolder(earlier.cwd, run.cwd)) continue
    const isAccepted = reviews.findLast((review) => review.run === earlier.id)?.decision === 'accepted'
    if (isAccepted || earlier.outcome?.code === 'done') break
    found.unshift(earlier)
  }
  return found
}

/**
 * A person's decision about the work that a chain of attempts found: it was sent back, so it is no evidence for them. `first`:
 * of the chain. `runs`, `reviews`: all of the task, oldest first.
 */
export function rejectionBefore(
  first: Run,
  { runs, reviews }: { readonly runs: readonly Run[]; readonly reviews: readonly Review[] },
): Review | undefined {
  const before = runs.findLast(({ attempt }) => attempt < first.attempt)
  const last = before && reviews.findLast(({ run }) => run === before.id)
  return last?.decision === 'rejected' ? last : undefined
}
