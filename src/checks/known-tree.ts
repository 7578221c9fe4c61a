import { join } from 'node:path'
import { wayDown } from '../platform/files/same-folder.ts'
import { discardFolder, temporaryFolder } from '../platform/files/temporary-folder.ts'
import { checkoutAt } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import { PRIVATE_FOLDER } from '../platform/git/private-folder.ts'
import { changedPaths, ignoredPaths, newIndex, outputOf, submodulePaths } from './git-facts.ts'

export interface KnownTree {
  /** The id of the tree of its commit. */
  readonly tree: string
  /** The directory below its top folder. */
  readonly below: string
}

/**
 * The tree of a checkout that holds that tree and nothing else; undefined: it holds more, be it a file that git ignores, or
 * git cannot tell. fleet reads every file again with an index of its own, because the repository's can be made to hide
 * changes.
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

/** A listing of folders answers for most checkouts, which hold installed packages: then no file is read. */
async function treeOf(git: LookingGit, index: string): Promise<string | undefined> {
  await newIndex(git, index)
  if ((await ignoredPaths(git, index)).length > 0) return undefined
  if ((await submodulePaths(git)).length > 0) return undefined
  if ((await changedPaths(git, index)).length > 0) return undefined
  return (await outputOf(git, ['log', '-1', '--format=%T', 'HEAD', '--'])).trim() || undefined
}
