import { join } from 'node:path'
import { wayDown } from '../platform/files/same-folder.ts'
import { discardFolder, temporaryFolder } from '../platform/files/temporary-folder.ts'
import { checkoutAt } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import { PRIVATE_FOLDER } from '../platform/git/private-folder.ts'

export interface KnownTree {
  /** The id of the tree of its commit. */
  readonly tree: string
  /** The directory below its top folder. */
  readonly below: string
}

/**
 * The tree of a checkout in which there is nothing but that tree; undefined: something else is in it, also something that
 * git ignores, or nobody can tell. Every file is read again, by an index of fleet's own: the one of the repository can be
 * made to hide changes.
 */
export async function knownTree(cwd: string): Promise<KnownTree | undefined> {
  const checkout = checkoutAt(cwd)
  const below = checkout && wayDown(checkout.root, cwd)
  if (checkout === undefined || below === undefined) return undefined
  const folder = temporaryFolder(PRIVATE_FOLDER)
  try {
    const tree = await looking(checkout, process.env, (git) => treeOf(git, join(folder, 'index')))
    return tree === undefined ? undefined : { tree, below }
  } catch {
    // A repository that cannot be read has no known tree.
    return undefined
  } finally {
    discardFolder(folder)
  }
}

/** Settings of the repository with which it could call a changed file unchanged. */
const STRICT = [
  ...['core.filemode=true', 'core.symlinks=true', 'core.ignorecase=false'],
  ...['core.autocrlf=false', 'core.sparsecheckout=false'],
].flatMap((setting) => ['-c', setting])

const ALL = [
  ...STRICT,
  ...['status', '--porcelain=v2', '-z', '--untracked-files=normal', '--ignored=traditional', '--no-renames'],
  '--ignore-submodules=none',
]

/** A submodule is in the tree as its commit alone, and its files may differ. */
const SUBMODULE = /^160000 /m

async function treeOf(git: LookingGit, index: string): Promise<string | undefined> {
  const [tree] = await Promise.all([
    text(git(['log', '-1', '--format=%T', 'HEAD', '--'])),
    git([...STRICT, 'read-tree', 'HEAD'], { index }),
  ])
  const [status, entries] = await Promise.all([
    text(git(ALL, { index, timeoutMs: HASH_MS })),
    text(git(['ls-tree', '-r', 'HEAD'])),
  ])
  if (status !== '' || entries === undefined || SUBMODULE.test(entries)) return undefined
  return tree?.trim() || undefined
}

/** Every file is read and hashed. */
const HASH_MS = 60_000

async function text(run: ReturnType<LookingGit>): Promise<string | undefined> {
  const ended = await run
  return ended.kind === 'ended' && ended.code === 0 ? ended.out.toString('utf8') : undefined
}
