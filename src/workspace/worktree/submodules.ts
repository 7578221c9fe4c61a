import { join } from 'node:path'
import { writeProjection } from '../../platform/files/files.ts'
import { copyIndex, isTaken, makeFolder, namesIn } from '../../platform/files/folder.ts'
import { wayDown } from '../../platform/files/same-folder.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import { configText } from '../../platform/git/config-text.ts'
import type { GitOwner } from '../../platform/git/git-owner.ts'
import { looking } from '../../platform/git/look.ts'
import { repositorySettings } from '../../platform/git/settings.ts'
import { writingIn } from '../../platform/git/write.ts'
import { outputOf } from '../git.ts'
import { throwIfFull } from './full-disk.ts'
import { linkFile } from './link.ts'
import { DEEPEST, modulesIn } from './modules-in.ts'

const CHECKOUT_MS = 10 * 60_000

interface Submodules {
  /** Checkouts that may have them, the preferred one first. */
  readonly sources: readonly string[]
  /** The worktree, as it lies now. */
  readonly own: Checkout
  /** Where it will lie. */
  readonly place: string
  readonly owner: GitOwner
}

/**
 * Checks out the submodules that another checkout has, with its objects and nothing fetched: each is a repository of its own
 * that borrows them. One that is not there, or lacks the commit, stays empty, as after `git worktree add`.
 */
export async function checkOutSubmodules({ sources, own, place, owner }: Submodules, depth = 0): Promise<void> {
  if (depth >= DEEPEST) return
  for (const { name, path } of modulesIn(own.root)) {
    const gitFolder = join(own.gitFolder, 'modules', name)
    const inside = { root: join(own.root, path), gitFolder, commonFolder: gitFolder }
    if (namesIn(inside.root).length > 0) continue
    const commit = await recorded(own, path)
    if (commit === undefined) continue
    const below = sources.filter((each) => wayDown(each, join(each, path)) === path).map((each) => join(each, path))
    // It is there already where the worktree was removed by hand. Its HEAD is written last.
    const isKept = isTaken(join(gitFolder, 'HEAD'))
    const from = await firstWith(commit, isKept ? [inside] : below.map(checkoutIn))
    if (from === undefined) continue
    if (!isKept) makeRepository(inside, { from, place: join(place, path) })
    writeProjection(join(gitFolder, 'HEAD'), `${commit}\n`)
    linkFile(inside, inside.root)
    const made = await readTree(inside, commit, owner)
    if (made) await checkOutSubmodules({ sources: below, own: inside, place: join(place, path), owner }, depth + 1)
  }
}

async function firstWith(commit: string, found: readonly (Checkout | undefined)[]): Promise<Checkout | undefined> {
  for (const each of found) if (each !== undefined && (await has(each, commit))) return each
  return undefined
}

/** The commit that the index has for the path. */
async function recorded(own: Checkout, path: string): Promise<string | undefined> {
  const text = await looking(own, process.env, (git) => git(['ls-files', '--stage', '-z', '--', `:(literal)${path}`]))
  return /^160000 ([0-9a-f]{40,64}) 0\t/.exec(outputOf(text) ?? '')?.[1]
}

async function has(from: Checkout, commit: string): Promise<boolean> {
  return await looking(
    from,
    process.env,
    async (git) => outputOf(await git(['cat-file', '-e', `${commit}^{tree}`])) !== undefined,
  )
}

function makeRepository({ gitFolder }: Checkout, { from, place }: { from: Checkout; place: string }): void {
  const settings = repositorySettings(from)
  const remote = settings.get('remote.origin.url')
  const format = settings.get('extensions.objectformat')
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
    makeFolder(join(gitFolder, folder))
  writeProjection(join(gitFolder, 'objects/info/alternates'), `${join(from.commonFolder, 'objects')}\n`)
  writeProjection(
    join(gitFolder, 'config'),
    configText([
      ['core.repositoryformatversion', format === undefined ? '0' : '1'],
      ['core.bare', 'false'],
      ['core.worktree', place],
      ...(format === undefined ? [] : [['extensions.objectformat', format] as const]),
      ...(remote === undefined
        ? []
        : [
            ['remote.origin.url', remote] as const,
            ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'] as const,
          ]),
    ]),
  )
}

async function readTree(inside: Checkout, commit: string, owner: GitOwner): Promise<boolean> {
  return await writingIn({ checkout: inside, owner }, async ({ git, index }) => {
    const ran = await git(['read-tree', '--reset', '-u', commit], { timeoutMs: CHECKOUT_MS })
    if (outputOf(ran) === undefined) {
      for (const folder of [inside.root, inside.gitFolder]) throwIfFull(ran, folder)
      return false
    }
    copyIndex(index, join(inside.gitFolder, 'index'))
    return true
  })
}
