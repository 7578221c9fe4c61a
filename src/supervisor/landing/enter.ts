import { NEEDS_LANDING, newLanding } from '../../domain/landing/landing.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { KeptWork } from '../ending/keep-work.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'

/** Work that passed and has commits of its own is done when it is on its target branch. */
export function withLanding(outcome: Outcome, { ending: { findings } }: LiveRun): Outcome {
  const isToLand =
    outcome.code === 'done' && findings?.worktree !== undefined && commitOf(findings.worktree) !== undefined
  return isToLand ? { ...outcome, code: NEEDS_LANDING } : outcome
}

/** undefined: its branch stands where it began. */
function commitOf({ kept, worktree: { base } }: KeptWork): string | undefined {
  const isOnBranch = kept.kind === 'clean' || kept.kind === 'committed'
  return isOnBranch && kept.head !== base ? kept.head : undefined
}

/** Call in the transaction that ends the run in the ledger. */
export function enterLandingQueue({ ledger, clock }: World, { record, ending }: LiveRun, outcome: Outcome): void {
  const work = ending.findings?.worktree
  const commit = work && commitOf(work)
  if (outcome.code !== NEEDS_LANDING || work === undefined || commit === undefined) return
  const before = ledger.landings.of(record.task)
  const queued = { worktree: work.worktree, commit, summary: outcome.text, queuedAt: clock.now(), before }
  ledger.landings.save(newLanding(record, queued))
}
