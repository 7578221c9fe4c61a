import { unacceptedAttempts } from '../../domain/run/attempt-chain.ts'
import { type Changes, touchedPaths } from '../../domain/run/changes.ts'
import type { Run } from '../../domain/run/run.ts'
import type { AttemptWork, ChangedWork } from '../../ports/verifier.ts'
import type { Base, GitBase } from '../../ports/workspace.ts'
import { runsSinceLanding } from '../landing/since-landing.ts'
import type { World } from '../world.ts'
import { baseOf, beganAt } from './base-of.ts'

interface Seen {
  readonly base: Base
  /** When the run began. */
  readonly since: number
  /** In its own attempt. */
  readonly changes: Changes
}

/** The files that a verification has to look at beside the evidence: also work that a person sent back, which is still in the tree. */
export function unacceptedWork(world: World, run: Run, { base, since, changes }: Seen): ChangedWork {
  const { ledger, machine } = world
  const of = { runs: runsSinceLanding(world, run.task), reviews: ledger.reviews.of(run.task) }
  const before = unacceptedAttempts(run, of, machine.isSameFolder).filter(({ id }) => id !== run.id)
  const earlier = before.flatMap((each): AttemptWork[] => {
    const base = baseOf(world, each)
    return base === undefined
      ? []
      : [{ base, since: beganAt(world, each), changed: ledger.seen(each.id).touched ?? [] }]
  })
  const last = { base, since, changed: touchedPaths(changes) }
  return { attempts: [...earlier, last], others: changes.ofOthers ?? [] }
}

/** In a worktree everything since its base is the task's, from the first attempt whose work is there. */
export function workInWorktree(
  { attempts }: ChangedWork,
  { begun, changes }: { begun: GitBase; changes: Changes },
): ChangedWork {
  const [first] = attempts
  const at = first === undefined ? undefined : (first.base.at ?? first.since)
  const base = { ...begun, ...(at !== undefined && { at }) }
  return { attempts: [{ base, since: at ?? 0, changed: touchedPaths(changes) }], others: [] }
}

/** A target on which the run itself has put commits does not tell what others have landed. */
export function withoutTouchedTarget(work: ChangedWork, branches: readonly string[]): ChangedWork {
  if (branches.length === 0) return work
  const attempts = work.attempts.map(({ base, ...rest }): AttemptWork => {
    const own = base.kind === 'git' ? base.own : undefined
    return base.kind === 'git' && own
      ? { ...rest, base: { ...base, own: { ...own, target: null } } }
      : { ...rest, base }
  })
  return { ...work, attempts }
}
