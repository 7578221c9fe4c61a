import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { writeProjection } from '../../platform/files/files.ts'
import { isRealFile, isRealFolder, isTaken, makeFolder, move } from '../../platform/files/folder.ts'
import { putOutOfTheWay } from '../../platform/files/out-of-the-way.ts'
import { unlock } from '../../platform/files/permissions.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import { checkoutOf } from './place.ts'

/**
 * The connection of a worktree to its repository, as git itself writes it (gitrepository-layout): a folder in the repository
 * and a file `.git` that names it. Written here, because git would obey the configuration of the repository while it does.
 */

/** After an agent: it could have pointed its worktree at another repository, and shown the work of somebody else. */
export function relink(worktree: Worktree): void {
  const repository = checkoutIn(worktree.repository)
  if (repository === undefined || !isRealFolder(worktree.path)) return
  const own = checkoutOf(worktree, repository)
  unlock(own.root)
  linkFolder(own, worktree.branch)
  linkFile(own, own.root)
}

/** Whether the folder there is this worktree, and no other one. */
export function isLinked({ gitFolder, root }: Checkout): boolean {
  return isRealFolder(root) && hasText(join(root, '.git'), linkText(gitFolder))
}

function linkText(gitFolder: string): string {
  return `gitdir: ${gitFolder}\n`
}

/** The folder in the repository. What an agent left checked out stays. */
export function linkFolder(own: Checkout, branch: string): void {
  const { gitFolder, root } = own
  if (!isRealFolder(gitFolder)) {
    putOutOfTheWay(gitFolder)
    makeFolder(gitFolder)
  }
  write(join(gitFolder, 'commondir'), '../..\n')
  write(join(gitFolder, 'gitdir'), `${root}/.git\n`)
  const head = join(gitFolder, 'HEAD')
  if (!HEAD.test(beginningOf(head, HEAD_BYTES) ?? '')) write(head, `ref: refs/heads/${branch}\n`)
}

const HEAD = /^(ref: refs\/heads\/\S.*|[0-9a-f]{40}|[0-9a-f]{64})\n?$/
export const HEAD_BYTES = 4096

/** The file `.git` of a worktree whose files lie in `folder`. */
export function linkFile({ gitFolder, root }: Checkout, folder: string): void {
  const path = join(folder, '.git')
  const text = linkText(gitFolder)
  if (hasText(path, text)) return
  // Beside the worktree: inside it, it would be work of the agent.
  if (isTaken(path)) move(path, `${root}.git-aside-${Date.now()}`)
  writeProjection(path, text)
}

function write(path: string, text: string): void {
  if (hasText(path, text)) return
  putOutOfTheWay(path)
  writeProjection(path, text)
}

function hasText(path: string, text: string): boolean {
  return isRealFile(path) && beginningOf(path, text.length + 1) === text
}

/** After a commit that contains its branch: the branch is checked out again. */
export function onBranch(own: Checkout, branch: string): void {
  write(join(own.gitFolder, 'HEAD'), `ref: refs/heads/${branch}\n`)
}
