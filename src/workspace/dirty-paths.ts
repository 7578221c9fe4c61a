import { join, normalize } from 'node:path'
import { beginningOf } from '../platform/files/beginning-of.ts'
import { wayDown } from '../platform/files/same-folder.ts'
import { type Checkout, checkoutIn } from '../platform/git/checkout.ts'
import { settingsIn } from '../platform/git/config-text.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import type { Execution } from '../platform/process/exec.ts'
import { type DirtyPath, outputOf, statusPaths } from './git.ts'

const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty']

/** Enough for any project; more are compared by their commits alone. */
const MOST_SUBMODULES = 50
const DEEPEST = 4
const GITMODULES_BYTES = 1 << 20

/**
 * The paths that differ from HEAD, or that git does not track, also inside submodules. Git would look into a submodule by
 * starting itself there, with the configuration that stands there; so fleet looks into each one itself. The failed call of
 * git, if the checkout cannot be read.
 */
export async function dirtyPaths(git: LookingGit, root: string, depth = 0): Promise<DirtyPath[] | Execution> {
  const status = await git(STATUS)
  const text = outputOf(status)
  if (text === undefined) return status
  const paths = statusPaths(text)
  for (const { path, checkout } of depth < DEEPEST ? submodulesOf(root) : []) {
    const inside = await looking(checkout, process.env, (inner) => dirtyPaths(inner, checkout.root, depth + 1))
    if (!Array.isArray(inside)) continue
    // The checkout around it does not track them.
    paths.push(...inside.map((each) => ({ path: join(path, each.path), submodule: '', tracked: false })))
  }
  return paths
}

function submodulesOf(root: string): { path: string; checkout: Checkout }[] {
  const named = settingsIn(beginningOf(join(root, '.gitmodules'), GITMODULES_BYTES) ?? '')
    .filter(([key]) => /^submodule\..*\.path$/s.test(key))
    .map(([, path]) => normalize(path).replace(/\/$/, ''))
  const paths = [...new Set(named)].filter((path) => path !== '.' && wayDown(root, join(root, path)) === path)
  return paths.slice(0, MOST_SUBMODULES).flatMap((path) => {
    const checkout = checkoutIn(join(root, path))
    return checkout === undefined ? [] : [{ path, checkout }]
  })
}
