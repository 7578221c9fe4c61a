import { join } from 'node:path'
import { createPrivate, makeFolder } from '../platform/files/attempt-folder.ts'
import { discardFolder, discardLarge, temporaryFolder } from '../platform/files/temporary-folder.ts'
import { treeCopy } from '../platform/files/tree-copy.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { GitOwner } from '../platform/git/git-owner.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import { PRIVATE_FOLDER } from '../platform/git/private-folder.ts'
import { type WritingGit, writingFor } from '../platform/git/write.ts'
import { copyUntracked } from './copy-ignored.ts'
import { differences, HASH_MS, headOf, outputOf, submodulePaths } from './git-facts.ts'

/** Of the files that differ from the commit, and of those that git ignores. */
const MOST_BYTES = 2 ** 31

export interface BaseTreeOrder {
  readonly checkout: Checkout
  /** Made anew, outside the checkout. */
  readonly to: string
  /** Files below the top folder that get the version of a commit, or none. null: no file has an older version. */
  readonly restored: ReadonlyMap<string, string | null>
  readonly owner: GitOwner
}

/**
 * A throw-away copy of a working tree, with some files as they were. The user's own tree and index stay as they are. Returns
 * the paths that are too large for it.
 */
export async function makeBaseTree({ checkout, to, restored, owner }: BaseTreeOrder): Promise<readonly string[]> {
  await discardLarge(to)
  makeFolder(to)
  const scratch = temporaryFolder(PRIVATE_FOLDER)
  try {
    return await looking(checkout, process.env, async (git) => {
      const index = join(scratch, 'index')
      const { changed, ignored } = await differences(git, index)
      const out = ['checkout-index', '--force', '--quiet', `--prefix=${to}/`]
      await outputOf(git, [...out, '--all'], { index, timeoutMs: HASH_MS })
      const copy = treeCopy({ from: checkout.root, to, budget: { bytes: MOST_BYTES } })
      // First: a change below an ignored folder does not exist.
      const nested = changed.filter((path) => path.endsWith('/'))
      const submodules = (await submodulePaths(git)).map((path) => `${path}/`)
      const leftOut = await copyUntracked({ root: checkout.root, copy }, [...ignored, ...nested, ...submodules])
      const known = new Set(submodules.map((path) => path.slice(0, -1)))
      const outdated = changed.filter((path) => !known.has(path) && !restored.has(path) && !path.endsWith('/'))
      const tooLarge: string[] = []
      for (const path of outdated) if ((await copy.copy(path)) === 'too-large') tooLarge.push(path)
      for (const path of restored.keys()) await copy.remove(path)
      for (const commit of new Set(restored.values())) {
        if (commit === null) continue
        const paths = [...restored].flatMap(([path, from]) => (from === commit ? [path] : []))
        const baseIndex = join(scratch, 'base-index')
        await outputOf(git, ['read-tree', commit], { index: baseIndex })
        for (const some of inParts(await inCommit(git, commit, paths))) {
          await outputOf(git, [...out, '--', ...some], { index: baseIndex })
        }
      }
      await makeRepository({ checkout, to, head: await headOf(git), git: writingFor(owner, scratch) })
      return [...leftOut, ...tooLarge]
    })
  } finally {
    discardFolder(scratch)
  }
}

/** Those of the paths that are files of this commit. */
async function inCommit(git: LookingGit, commit: string, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const some of inParts(paths)) {
    const names = await outputOf(git, ['ls-tree', '-r', '-z', '--name-only', commit, '--', ...some])
    found.push(...names.split('\0').filter((name) => some.includes(name)))
  }
  return found
}

/** A command line has a limit. */
function inParts(paths: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = []
  for (let from = 0; from < paths.length; from += 200) parts.push(paths.slice(from, from + 200))
  return parts
}

/** For commands that ask git: a repository of its own over the same objects. What they do in it touches no other. */
async function makeRepository({
  checkout,
  to,
  head,
  git,
}: {
  checkout: Checkout
  to: string
  head: string | undefined
  git: WritingGit
}): Promise<void> {
  const made = await git(['init', '--quiet', '--template=', to], { timeoutMs: 30_000 })
  if (made.kind !== 'ended' || made.code !== 0) return
  makeFolder(join(to, '.git', 'objects', 'info'))
  createPrivate(join(to, '.git', 'objects', 'info', 'alternates'), `${join(checkout.commonFolder, 'objects')}\n`)
  if (head !== undefined) await git(['-C', to, 'reset', '--quiet', '--mixed', head], { timeoutMs: HASH_MS })
}
