import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { copyIndex, isPlainFile, isRealFolder, isTaken, makeFolder, move } from '../../platform/files/folder.ts'
import { discardFolder, discardLarge } from '../../platform/files/temporary-folder.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import type { GitOwner } from '../../platform/git/git-owner.ts'
import { writingIn } from '../../platform/git/write.ts'
import { inTurn } from '../../platform/runtime/in-turn.ts'
import { limited } from '../../platform/runtime/limited.ts'
import type { Refused } from '../../ports/worktrees.ts'
import { outputOf } from '../git.ts'
import { asideOf } from './aside.ts'
import { ownBranch } from './branch.ts'
import { rebuildIndex, refusedBy } from './index-file.ts'
import { isLinked, linkFile, linkFolder, lockWhileMaking, relink, unlockMade } from './link.ts'
import { newPartial, partialsOf } from './partial.ts'
import { checkoutOf, noRepository } from './place.ts'
import { takeOverSparse } from './sparse.ts'
import { checkOutSubmodules } from './submodules.ts'
import { removeLocks } from './unfinished.ts'

const CHECKOUT_MS = 30 * 60_000
/** Checkouts at once: more would only wait for the same disk. */
const atMost = limited(2)

/**
 * Makes a worktree, or completes and repairs it. Its files are checked out beside their place and moved there whole, so a
 * path that exists has all of them, whenever a supervisor was killed; a git that outlives one writes into a folder that
 * nobody uses.
 */
export async function make(worktree: Worktree, how: Making): Promise<Refused | 'taken' | undefined> {
  // A run that was stopped meanwhile may still be at it.
  return await inTurn(worktree.path, () => makeNow(worktree, how))
}

interface Making {
  readonly owner: GitOwner
  /** Aborts a checkout. */
  readonly signal: AbortSignal | undefined
}

async function makeNow(worktree: Worktree, how: Making): Promise<Refused | 'taken' | undefined> {
  const repository = checkoutIn(worktree.repository)
  if (repository === undefined) {
    return { refused: noRepository(worktree) }
  }
  const own = checkoutOf(worktree, repository)
  // Of a removal that was killed: git would take the branch for checked out.
  for (const left of asideOf(own.gitFolder)) discardFolder(left)
  removeLocks(own, worktree.branch)
  const tip = await ownBranch(worktree, repository, own)
  if (typeof tip !== 'string') return tip
  if (tip === 'taken') return tip
  if (!isTaken(own.root)) return await checkOut(worktree, { repository, own, tip }, how)
  const isOurs = worktree.state === 'making' ? isLinked(own) : isRealFolder(own.root)
  if (!isOurs)
    return { refused: `${own.root} is in the way of its worktree: move it away, then fleet retry ${worktree.task}` }
  return await connect(worktree, own)
}

async function connect(worktree: Worktree, own: Checkout): Promise<Refused | undefined> {
  relink(worktree)
  unlockMade(own)
  return isPlainFile(join(own.gitFolder, 'index')) ? undefined : await rebuildIndex(own)
}

interface Parts {
  readonly repository: Checkout
  readonly own: Checkout
  readonly tip: string
}

async function checkOut(
  worktree: Worktree,
  { repository, own, tip }: Parts,
  how: Making,
): Promise<Refused | undefined> {
  // Of supervisors that were killed meanwhile. A task is made ready by one at a time.
  for (const left of partialsOf(worktree)) await discardLarge(left)
  const partial = newPartial(worktree)
  const files = join(partial, 'files')
  makeFolder(files)
  try {
    const checkout = { ...repository, root: files }
    const refused = await atMost(() => readTree(checkout, { tip, index: join(partial, 'index'), ...how }))
    if (refused !== undefined) return refused
    lockWhileMaking(own)
    linkFolder(own, worktree.branch)
    takeOverSparse(repository, own)
    copyIndex(join(partial, 'index'), join(own.gitFolder, 'index'))
    await checkOutSubmodules({
      sources: [repository.root],
      own: { ...own, root: files },
      place: own.root,
      owner: how.owner,
    })
    linkFile(own, files)
    move(files, own.root)
    return await connect(worktree, own)
  } finally {
    await discardLarge(partial)
  }
}

async function readTree(
  checkout: Checkout,
  { tip, index, owner, signal }: Making & { tip: string; index: string },
): Promise<Refused | undefined> {
  return await writingIn({ checkout, owner }, async ({ git, index: made }) => {
    const how = { timeoutMs: CHECKOUT_MS, ...(signal === undefined ? {} : { signal }) }
    const ran = await git(['read-tree', '--reset', '-u', tip], how)
    if (outputOf(ran) === undefined) return refusedBy(ran, checkout.root)
    copyIndex(made, index)
    return undefined
  })
}
