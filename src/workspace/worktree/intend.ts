import { freeBranch } from '../../domain/run/worktree.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { looking } from '../../platform/git/look.ts'
import type { Intended, IntendOrder, Refused } from '../../ports/worktrees.ts'
import { outputOf } from '../git.ts'
import { commitOf } from './branch.ts'
import { headBranch } from './place.ts'

/**
 * The branch of a new worktree and the commit that it begins at: the tip of the branch that the task's work is for, and
 * where there is none, HEAD.
 */
export async function intend({ task, root, target }: IntendOrder): Promise<Intended | Refused> {
  const checkout = checkoutIn(root)
  if (checkout === undefined) return { refused: `${root} is no git checkout any more: give the task another directory` }
  const branch = target?.branch ?? headBranch(root)
  const { head, tip, atOrigin, taken } = await looking(checkout, process.env, async (git) => {
    const ofBranch = (ref: string) => (branch === undefined ? undefined : commitOf(git, `${ref}/${branch}`))
    const [head, tip, atOrigin, refs] = await Promise.all([
      commitOf(git, 'HEAD'),
      ofBranch('refs/heads'),
      // A clone has only one of the branches of its origin.
      ofBranch('refs/remotes/origin'),
      git(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/']),
    ])
    return { head, tip, atOrigin, taken: (outputOf(refs) ?? '').split('\n').filter((name) => name !== '') }
  })
  if (tip === undefined && target?.given === true) {
    return {
      refused: `${root} has no branch ${target.branch}: create it, or give another with fleet bd update ${task} --target`,
    }
  }
  const base = tip ?? atOrigin ?? head
  if (base === undefined)
    return { refused: `${root} has no commit yet: commit something there, then fleet retry ${task}` }
  const own = freeBranch(task, taken)
  if (own === undefined) {
    return {
      refused: `${root} has a branch of every name that fleet would use for ${task}: rename or delete one of fleet/${task}…`,
    }
  }
  return { branch: own, base, target: branch ?? null }
}
