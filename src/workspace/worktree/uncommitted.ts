import type { Worktree } from '../../domain/run/worktree.ts'
import { changedSince } from '../dirty-stamps.ts'
import { type DirtyPath, statusPaths } from '../git.ts'

/** The paths that differ from what is checked out, as git tells them, without what stands as the setup left it. */
export async function uncommitted(
  { path: root, setUp, readyAt }: Pick<Worktree, 'path' | 'setUp' | 'readyAt'>,
  status: string,
): Promise<readonly DirtyPath[]> {
  const paths = statusPaths(status)
  if (setUp === null || paths.length === 0) return paths
  return await changedSince({ root, dirty: setUp.files, dirtyWhole: setUp.whole }, paths, readyAt ?? 0)
}
