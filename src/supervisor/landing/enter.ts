import { type Landing, NEEDS_LANDING } from '../../domain/landing/landing.ts'
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
  const { repository, folder, branch, base, target } = work.worktree
  const landing: Landing = {
    task: record.task,
    title: record.title,
    run: record.id,
    claim: { by: record.claimedBy, token: record.token },
    project: record.project,
    ...{ repository, folder, branch, base, commit, target },
    summary: outcome.text,
    queuedAt: clock.now(),
    approvedBy: null,
    bounces: ledger.landings.of(record.task)?.bounces ?? 0,
    state: { at: 'queued' },
  }
  ledger.landings.save(landing)
}
