import type { Worktree } from '../../domain/run/worktree.ts'
import { isRealFolder } from '../../platform/files/folder.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import { type LookingGit, looking } from '../../platform/git/look.ts'
import type { KnownOfWork, Left } from '../../ports/worktrees.ts'
import { outputOf, whyFailed } from '../git.ts'
import { checkedOutIn, commitOf } from './branch.ts'
import { relink } from './link.ts'
import { partialsOf } from './partial.ts'
import { checkoutOf } from './place.ts'
import { STATUS, STATUS_LIMITS } from './status.ts'
import { uncommitted } from './uncommitted.ts'
import { unkept } from './unkept.ts'

/** The work that would be lost with a worktree and its branch. In doubt it is work. */
export async function whatIsLeft(worktree: Worktree, { landed, evidence, byProducts }: KnownOfWork): Promise<Left> {
  const repository = checkoutIn(worktree.repository)
  if (repository === undefined) return { kind: 'work', why: `${worktree.repository} is no git checkout any more` }
  // For a run that has ended meanwhile.
  if (partialsOf(worktree).length > 0) return { kind: 'work', why: 'it is being made' }
  const own = checkoutOf(worktree, repository)
  const elsewhere = checkedOutIn(worktree.branch, repository, own)
  if (elsewhere !== undefined) return { kind: 'work', why: `its branch is checked out in ${elsewhere}` }
  const tip = await looking(repository, process.env, (git) => commitOf(git, `refs/heads/${worktree.branch}`))
  const open = isRealFolder(worktree.path) ? await whyOpen(worktree, own, { tip, evidence, byProducts }) : undefined
  if (open !== undefined) return { kind: 'work', why: open }
  // With what has landed a new base begins.
  if (tip === undefined || (tip === worktree.base && tip !== landed)) return { kind: 'nothing', tip }
  const isElsewhere = await looking(repository, process.env, (git) => isOnOther(git, tip, worktree.branch))
  if (isElsewhere || tip === landed) return { kind: 'landed', tip, isElsewhere }
  return { kind: 'work', why: `${worktree.branch} has commits that are on no other branch` }
}

/** Why its files are not all on its branch; undefined: they are. */
async function whyOpen(
  worktree: Worktree,
  own: Checkout,
  { tip, ...known }: { tip: string | undefined } & Pick<KnownOfWork, 'evidence' | 'byProducts'>,
): Promise<string | undefined> {
  relink(worktree)
  return await looking(own, process.env, async (git) => {
    const [status, head] = await Promise.all([git(STATUS, STATUS_LIMITS), commitOf(git, 'HEAD')])
    const text = outputOf(status)
    if (text === undefined) return `it cannot be looked at (${whyFailed(status)})`
    if ((await uncommitted(worktree, text)).length > 0) return 'it has changes that are not committed'
    if (head !== tip) return 'another commit than that of its branch is checked out'
    return await unkept(git, { ...worktree, own, ...known })
  })
}

/** Whether a branch, of this repository or a remote, that is no task's own has the commit. */
async function isOnOther(git: LookingGit, tip: string, own: string): Promise<boolean> {
  const found = outputOf(
    await git(['for-each-ref', '--contains', tip, '--format=%(refname)', 'refs/heads', 'refs/remotes']),
  )
  const names = (found ?? '').split('\n').filter((name) => name !== '' && !name.endsWith(`/${own}`))
  return names.some((name) => !/^refs\/(heads|remotes\/[^/]+)\/fleet[/-]/.test(name))
}
