import { mentions } from '../../domain/evidence/visits.ts'
import type { Worktree } from '../../domain/run/worktree.ts'
import type { Base } from '../../ports/workspace.ts'
import type { Primary } from '../../ports/worktrees.ts'
import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'

/** The primary checkout of a run before its agent began, in its launch record. */
export interface PrimaryBefore extends Primary {
  /** Absent: an older fleet recorded it. */
  readonly base?: Base
  /** Its script names that checkout, and shows no tools that could tell when it goes there. */
  readonly isInScript?: true
}

export async function primaryBefore(
  { worktrees, workspace, home }: World,
  live: LiveRun,
  { worktree, script = '' }: { worktree: Worktree; script?: string | undefined },
): Promise<PrimaryBefore | undefined> {
  const [primary, base] = await Promise.all([worktrees.primary(worktree), workspace.base(worktree.repository, home)])
  if (primary === undefined) return undefined
  const isInScript = mentions(script, worktrees.namesOfPrimary(worktree, live.record.project))
  return { ...primary, base: withoutIgnored(base), ...(isInScript && { isInScript }) }
}

/** Nobody asks what changed there that git ignores, and each launch record would have it twice. */
function withoutIgnored(base: Base): Base {
  if (base.kind !== 'git') return base
  const { ignored: _, ...more } = base
  return more
}

/** From now on its commands tell when it goes to the primary checkout. */
export function watchPrimary({ ledger, worktrees }: World, { record, trace }: LiveRun): void {
  if (record.cwd === record.project) return
  const worktree = ledger.worktreeOf(record.task)
  if (worktree !== undefined) trace.visits.names = worktrees.namesOfPrimary(worktree, record.project)
}
