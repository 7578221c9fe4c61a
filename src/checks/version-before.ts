import type { LookingGit } from '../platform/git/look.ts'
import type { GitBase } from '../ports/workspace.ts'

/**
 * The commit that work is compared with; null: there was none. Of a worktree: where its branch has left the target, because
 * commits that others have landed there are no work of its own.
 */
export async function versionBefore(git: LookingGit, { head, own }: GitBase): Promise<string | null> {
  if (head === null || own === undefined || own.target === null) return head
  const fork = await git(['merge-base', 'HEAD', `refs/heads/${own.target}`])
  if (fork.kind !== 'ended' || fork.code !== 0) return head
  const commit = fork.out.toString('utf8').trim()
  const isLater = await git(['merge-base', '--is-ancestor', head, commit])
  return isLater.kind === 'ended' && isLater.code === 0 ? commit : head
}
