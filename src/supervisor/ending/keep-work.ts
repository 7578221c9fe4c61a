import type { Judgement } from '../../domain/run/judgement.ts'
import type { OutcomeCode } from '../../domain/run/outcome.ts'
import type { WorktreeOnReceipt } from '../../domain/run/receipt.ts'
import type { Run } from '../../domain/run/run.ts'
import { keepingMessage, type Worktree } from '../../domain/run/worktree.ts'
import type { Kept } from '../../ports/worktrees.ts'
import { isSystemTrouble } from '../run/fault.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { type InPrimary, lookAtPrimary, touchedText } from './primary-checkout.ts'

/** The fate of the work in the worktree of a run, after its agent had gone. */
export interface KeptWork {
  readonly worktree: Worktree
  readonly kept: Kept
  /** The ref that has the work where its branch could not take it. */
  readonly rescue: string
  readonly inPrimary: InPrimary
}

/** `none`: the run worked in the directory of its task. */
function worktreeOf({ ledger }: World, { task, cwd, project }: Run): Worktree | 'none' | 'lost' {
  return cwd === project ? 'none' : (ledger.worktreeOf(task) ?? 'lost')
}

/** Before anybody looks at its changes. */
export function relink(world: World, { record }: LiveRun): void {
  const worktree = worktreeOf(world, record)
  try {
    if (typeof worktree !== 'string') world.worktrees.relink(worktree)
  } catch (error) {
    // An agent that locks its worktree loses its evidence, never its slot.
    if (isSystemTrouble(world, error)) throw error
  }
}

/**
 * With any outcome, work that an agent leaves uncommitted becomes a commit of its task's branch. `lost`: that cannot be, because
 * its worktree is not in the ledger any more.
 */
export async function keepWork(
  world: World,
  live: LiveRun,
  runs: Iterable<LiveRun>,
): Promise<KeptWork | 'none' | 'lost'> {
  const { record } = live
  const worktree = worktreeOf(world, record)
  if (typeof worktree === 'string') return worktree
  const rescue = `refs/fleet/rescue/${record.id}`
  const keeping = keepOrSayWhy(world, worktree, { message: keepingMessage(record), rescue })
  const inPrimary = lookAtPrimary(world, live, { worktree, keeping, runs })
  inPrimary.catch(() => {}) // awaited below; a failure to keep the work comes first
  // Always to its end: a judgement that is retried keeps the work again.
  const kept = await keeping
  const { task, id: run } = record
  if (kept.kind !== 'clean') world.log('work-kept', { task, run, how: kept.kind })
  return { worktree, kept, rescue, inPrimary: await inPrimary }
}

async function keepOrSayWhy(world: World, worktree: Worktree, how: { message: string; rescue: string }): Promise<Kept> {
  try {
    return await world.worktrees.keep(worktree, how)
  } catch (error) {
    if (isSystemTrouble(world, error)) throw error
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) }
  }
}

/** These claims are changed: work that is not on the branch alone cannot be checked and landed. */
const CLAIMED: ReadonlySet<OutcomeCode> = new Set(['done', 'needs-review', 'no-evidence'])

export function judgedByKept(judged: Judgement, work: KeptWork | 'none' | 'lost'): Judgement {
  const { code } = judged.outcome
  if (work === 'none' || !CLAIMED.has(code)) return judged
  const as = (code: OutcomeCode, text: string): Judgement => ({ ...judged, outcome: { code, text } })
  if (work === 'lost') return as('error', 'its work could not be kept: its worktree is not on record any more')
  const [touched, unkept] = [touchedText(work.worktree, work.inPrimary), unkeptText(work)]
  // Work that it put on the target itself is no evidence any more, and a retry would not change that.
  if (touched !== undefined) {
    return as(
      'needs-review',
      `${touched}: look at it before the work counts${unkept === undefined ? '' : `; and ${unkept}`}`,
    )
  }
  if (unkept === undefined || (code === 'no-evidence' && work.kept.kind === 'astray')) return judged
  return as(work.kept.kind === 'failed' ? 'error' : 'no-evidence', unkept)
}

/** Why its branch does not have its work; undefined: it has all of it. */
function unkeptText({ kept, worktree: { branch }, rescue }: KeptWork): string | undefined {
  switch (kept.kind) {
    case 'failed':
      return `its work could not be committed to ${branch}: ${kept.why}`
    case 'astray':
      return `it left its worktree on ${kept.on}, which does not contain its branch ${branch}: bring the work onto ${branch} (it is kept at ${rescue})`
    default:
      return undefined
  }
}

/** Where earlier attempts at a task worked, which runs in its own directory now; undefined: nowhere else, or it has landed. */
export function leftInWorktree({ ledger }: World, { task, cwd, project }: Run): string | undefined {
  const worktree = cwd === project ? ledger.worktreeOf(task) : undefined
  if (worktree === undefined || ledger.landings.of(task)?.state.at === 'over') return undefined
  return `earlier attempts worked in a worktree: what they did is on the branch ${worktree.branch}, and not in ${project}`
}

export function onReceipt({ worktree: { path, branch, base }, kept }: KeptWork): WorktreeOnReceipt {
  const isThere = kept.kind === 'clean' || kept.kind === 'committed'
  return { path, branch, base, head: isThere ? kept.head : null, kept: kept.kind === 'committed' }
}
