import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { removeFolder } from '../../platform/files/attempt-folder.ts'
import { entryAt, isRealFolder, move, namesIn } from '../../platform/files/folder.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import { type LookingGit, looking } from '../../platform/git/look.ts'
import { writingIn } from '../../platform/git/write.ts'
import type { KnownOfWork, Left } from '../../ports/worktrees.ts'
import { outputOf, statusPaths, whyFailed } from '../git.ts'
import { commitOf } from './branch.ts'
import { relink } from './link.ts'
import { checkoutOf } from './place.ts'
import { STATUS, STATUS_LIMITS } from './status.ts'
import { unkept } from './unkept.ts'

const REF_MS = 60_000

/** What would be lost with a worktree and its branch. In doubt it is work. */
export async function whatIsLeft(worktree: Worktree, { landed, evidence }: KnownOfWork): Promise<Left> {
  const repository = checkoutIn(worktree.repository)
  if (repository === undefined) return { kind: 'work', why: `${worktree.repository} is no git checkout any more` }
  const own = checkoutOf(worktree, repository)
  const tip = await looking(repository, process.env, (git) => commitOf(git, `refs/heads/${worktree.branch}`))
  const open = isRealFolder(worktree.path) ? await uncommitted(worktree, own, { tip, evidence }) : undefined
  if (open !== undefined) return { kind: 'work', why: open }
  // With what has landed a new base begins.
  if (tip === undefined || (tip === worktree.base && tip !== landed)) return { kind: 'nothing', tip }
  const isElsewhere = await looking(repository, process.env, (git) => isOnOther(git, tip, worktree.branch))
  if (isElsewhere || tip === landed) return { kind: 'landed', tip, isElsewhere }
  return { kind: 'work', why: `${worktree.branch} has commits that are on no other branch` }
}

/** Why its files are not all on its branch; undefined: they are. */
async function uncommitted(
  worktree: Worktree,
  own: Checkout,
  { tip, evidence }: { tip: string | undefined } & Pick<KnownOfWork, 'evidence'>,
): Promise<string | undefined> {
  relink(worktree)
  return await looking(own, process.env, async (git) => {
    const [status, head] = await Promise.all([git(STATUS, STATUS_LIMITS), commitOf(git, 'HEAD')])
    const text = outputOf(status)
    if (text === undefined) return `it cannot be looked at (${whyFailed(status)})`
    if (statusPaths(text).length > 0) return 'it has changes that are not committed'
    if (head !== tip) return 'another commit than that of its branch is checked out'
    return await unkept(git, { ...worktree, own, evidence })
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

/** What a removal or a checkout that was killed left below the home. `before`: of the clock; a checkout may be under way. */
export async function clearLeft(home: string, before: number): Promise<void> {
  const folder = join(home, 'worktrees')
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const isLeft = /\.removing-[0-9a-f]{8}$/.test(name) || (name.startsWith('.making-') && changed(path) < before)
    if (isLeft && isRealFolder(path)) await removeFolder(path)
  }
}

function changed(path: string): number {
  return entryAt(path)?.changedAt ?? Number.POSITIVE_INFINITY
}

/**
 * Removes a worktree that holds nothing, and its branch, if that is still at `tip`. It may be killed at any step and called
 * again.
 */
export async function remove(
  worktree: Worktree,
  { tip, rescue }: { tip: string | undefined; rescue?: string },
): Promise<void> {
  const aside = `${worktree.path}.removing-${crypto.randomUUID().slice(0, 8)}`
  if (isRealFolder(worktree.path)) {
    move(worktree.path, aside)
    await removeFolder(aside)
  }
  const repository = checkoutIn(worktree.repository)
  if (repository === undefined) return
  const own = checkoutOf(worktree, repository)
  if (isRealFolder(own.gitFolder)) await removeFolder(own.gitFolder)
  if (tip === undefined) return
  await writingIn({ checkout: repository, env: process.env }, async ({ git }) => {
    const how = { timeoutMs: REF_MS }
    if (rescue !== undefined && outputOf(await git(['update-ref', rescue, tip], how)) === undefined) return
    await git(['update-ref', '-d', `refs/heads/${worktree.branch}`, tip], how)
  })
}
