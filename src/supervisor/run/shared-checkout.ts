import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'

/** A git checkout in which several agents work, and their tasks; undefined: none. */
export function sharedCheckout(
  { worktrees }: Pick<World, 'worktrees'>,
  runs: readonly LiveRun[],
): { repository: string; tasks: readonly string[] } | undefined {
  const inPlace = runs.filter(({ record, coder }) => record.cwd === record.project && coder.traits.evidence === 'work')
  if (inPlace.length < 2) return undefined
  const roots = new Map<string, string[]>()
  for (const { record } of inPlace) {
    const found = worktrees.find(record.cwd)
    if ('refused' in found) continue
    const tasks = [...(roots.get(found.root) ?? []), record.task]
    if (tasks.length > 1) return { repository: found.root, tasks }
    roots.set(found.root, tasks)
  }
  return undefined
}
