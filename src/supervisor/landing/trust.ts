import { afterRun, beforeRun, type FoundPrograms } from '../../domain/landing/trust.ts'
import type { Run } from '../../domain/run/run.ts'
import { AppError } from '../../errors.ts'
import type { World } from '../world.ts'

/** Before the agent of a run begins in a worktree of this repository: what may be run there when its work lands. */
export async function notePrograms(world: World, run: Run, repository: string): Promise<void> {
  const { landings } = world.ledger
  const now = await programsOf(world, repository)
  if (now === undefined) return
  const { task } = run
  const before = landings.trusted(repository)
  const trusted = beforeRun(before, now, { task, agentsRanAt: (time) => world.homeFiles.agentsRanAt(time) })
  if (trusted === before) return
  landings.trust(repository, trusted)
  if (trusted.changedBy !== null) world.log('repository-programs-changed', { task, repository })
}

/** When no process of its agent is left. */
export async function comparePrograms(world: World, run: Run): Promise<void> {
  // Most homes land nothing, and a look for the repository of each run is dear.
  if (!world.ledger.landings.trustsAny()) return
  const repository = repositoryOf(world, run)
  if (repository !== undefined) await compareRepository(world, { task: run.task, repository })
}

/** When no process of a task is left that could have changed them. */
export async function compareRepository(
  world: World,
  { task, repository }: { readonly task: string; readonly repository: string },
): Promise<void> {
  const { landings } = world.ledger
  const trusted = landings.trusted(repository)
  if (trusted === undefined) return
  const now = await programsOf(world, repository)
  const after = now === undefined ? trusted : afterRun(trusted, now, task)
  if (after === trusted) return
  landings.trust(repository, after)
  if (after.changedBy !== null) world.log('repository-programs-changed', { task, repository })
}

/** undefined: there is none, or it cannot be read now. The landing meets the same, and tells people. */
async function programsOf(world: World, repository: string): Promise<FoundPrograms | undefined> {
  try {
    return await world.landing.programs(repository)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** An agent in the directory of its task can write to its repository, too. */
function repositoryOf({ ledger, worktrees }: World, { task, project }: Run): string | undefined {
  const worktree = ledger.worktreeOf(task)
  if (worktree !== undefined) return worktree.repository
  const found = worktrees.find(project)
  return 'root' in found ? found.root : undefined
}
