import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { hasWay } from '../../platform/files/copy-new.ts'
import { writeProjection } from '../../platform/files/files.ts'
import { isRealFile, isRealFolder, isTaken, makeFolder, move, remove } from '../../platform/files/folder.ts'
import { putOutOfTheWay } from '../../platform/files/out-of-the-way.ts'
import { unlock } from '../../platform/files/permissions.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import { configText, settingsIn } from '../../platform/git/config-text.ts'
import { DEEPEST, modulesIn } from './modules-in.ts'
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
  relinkSubmodules(own, [repository.root])
}

/**
 * The same for the submodules that fleet has checked out there: they name the worktree, and the repository whose objects they
 * borrow, which may have been moved. `sources`: checkouts that have these objects.
 */
function relinkSubmodules(own: Checkout, sources: readonly string[], depth = 0): void {
  if (depth >= DEEPEST) return
  for (const { name, path } of modulesIn(own.root)) {
    const gitFolder = join(own.gitFolder, 'modules', name)
    const inside = { root: join(own.root, path), gitFolder, commonFolder: gitFolder }
    const isThere = isRealFile(join(gitFolder, 'HEAD')) && isRealFolder(inside.root) && hasWay(own.root, path)
    if (!isThere) continue
    unlock(inside.root)
    linkFile(inside, inside.root)
    const settings = settingsIn(beginningOf(join(gitFolder, 'config'), CONFIG_BYTES) ?? '')
    const isAt = settings.some(([key, value]) => key === 'core.worktree' && value === inside.root)
    const others = settings.filter(([key]) => key !== 'core.worktree')
    if (!isAt) write(join(gitFolder, 'config'), configText([...others, ['core.worktree', inside.root]]))
    const below = sources.map((each) => join(each, path))
    const objects = below.map(checkoutIn).map((from) => from && join(from.commonFolder, 'objects'))
    borrowFrom(gitFolder, objects)
    relinkSubmodules(inside, below, depth + 1)
  }
}

const CONFIG_BYTES = 1 << 20
const ALTERNATES_BYTES = 8192

/** Unless the folder from which it borrows its objects is still there. */
function borrowFrom(gitFolder: string, objects: readonly (string | undefined)[]): void {
  const path = join(gitFolder, 'objects/info/alternates')
  const before = beginningOf(path, ALTERNATES_BYTES)?.split('\n')[0] ?? ''
  const now = objects.find((each) => each !== undefined && isRealFolder(each))
  if (now !== undefined && before !== '' && !isRealFolder(before)) write(path, `${now}\n`)
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

/**
 * While the files of a worktree are not at their place yet, `git worktree prune` of anybody would take it for one that was
 * removed. git leaves one alone that is locked.
 */
export function lockWhileMaking({ gitFolder }: Checkout): void {
  makeFolder(gitFolder)
  write(join(gitFolder, 'locked'), MAKING)
}

/** Unless a person has locked it. */
export function unlockMade({ gitFolder }: Checkout): void {
  const path = join(gitFolder, 'locked')
  if (hasText(path, MAKING)) remove(path)
}

const MAKING = 'fleet is making this worktree\n'

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
