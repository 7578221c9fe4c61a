import { join, normalize } from 'node:path'
import { beginningOf } from '../platform/files/beginning-of.ts'
import { wayDown } from '../platform/files/same-folder.ts'
import { type Checkout, checkoutIn } from '../platform/git/checkout.ts'
import { settingsIn } from '../platform/git/config-text.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import { PATIENCE_MS, patient, tooSlow } from '../platform/git/patient.ts'
import type { Execution } from '../platform/process/exec.ts'
import { type DirtyPath, outputOf, statusReader } from './git.ts'

const STATUS = [
  ...['status', '--porcelain=v2', '--branch', '--no-ahead-behind', '-z'],
  ...['--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'],
]

/** Enough for any project; more are compared by their commits alone. */
const MOST_SUBMODULES = 50
const DEEPEST = 4
/** Of repositories and submodules, at all depths. */
const MOST_LOOKS = 100
const GITMODULES_BYTES = 1 << 20

export interface Dirty {
  readonly paths: readonly DirtyPath[]
  /** The commit that they differ from; undefined: there is none yet. */
  readonly head: string | undefined
}

/**
 * The paths that differ from HEAD, or that git does not track, also inside submodules. Git would look into a submodule by
 * starting itself there, with the configuration that stands there; so fleet looks into each one itself. The failed call of
 * git, if the checkout cannot be read.
 */
export async function dirtyPaths(
  git: LookingGit,
  root: string,
  { depth = 0, room = { looks: MOST_LOOKS } } = {},
): Promise<Dirty | Execution> {
  const status = await listedIn(git)
  if (isFailed(status)) return status
  const listed = status.paths
  const below = { depth: depth + 1, room }
  const mayLook = (): boolean => depth < DEEPEST && room.looks-- > 0
  const nested = nestedIn(root, listed).filter(mayLook)
  const paths = listed.filter(({ path }) => !nested.some((each) => each.path === path))
  for (const { path, checkout } of nested) {
    const [inside, head] = await looking(checkout, process.env, (inner) =>
      Promise.all([dirtyPaths(inner, checkout.root, below), patient(inner)(['rev-parse', 'HEAD'])]),
    )
    paths.push({ path, submodule: `R${outputOf(head)?.trim() ?? ''}`, tracked: false })
    if (isBlocked(inside)) return inside
    if (isFailed(inside)) continue
    paths.push(...inside.paths.map((each) => ({ path: join(path, each.path), submodule: '', tracked: false })))
  }
  for (const { path, checkout } of submodulesOf(root).filter(mayLook)) {
    const inside = await looking(checkout, process.env, (inner) => dirtyPaths(inner, checkout.root, below))
    if (isBlocked(inside)) return inside
    if (isFailed(inside)) continue
    // The checkout around it does not track them.
    paths.push(...inside.paths.map((each) => ({ path: join(path, each.path), submodule: '', tracked: false })))
  }
  return { paths, head: status.head }
}

export function isFailed(found: Dirty | Execution): found is Execution {
  return 'kind' in found
}

/** An agent's pipe in one of them: each further one would cost as much time. */
function isBlocked(found: Dirty | Execution): found is Execution {
  return isFailed(found) && found.kind === 'blocked'
}

/** Read as it comes, because its length has no bound. */
async function listedIn(git: LookingGit): Promise<Dirty | Execution> {
  for (const timeoutMs of PATIENCE_MS) {
    const reader = statusReader(MOST_PATHS)
    const run = await git(STATUS, { timeoutMs, maxBytes: Number.POSITIVE_INFINITY, take: reader.take })
    if (run.kind === 'timed-out') continue
    return run.kind === 'ended' && run.code === 0 ? { paths: reader.paths(), head: reader.head() } : run
  }
  throw tooSlow('status')
}

/** For more there is no memory. Git lists tracked ones first. */
const MOST_PATHS = 300_000

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

const MOST_NESTED = 20

/** Repositories inside this one that are no submodules: git names only their folder, with a slash. */
function nestedIn(root: string, listed: readonly DirtyPath[]): { path: string; checkout: Checkout }[] {
  const folders = listed.filter(({ path, tracked }) => !tracked && path.endsWith('/')).slice(0, MOST_NESTED)
  return folders.flatMap(({ path }) => {
    const checkout =
      wayDown(root, join(root, path)) === undefined ? undefined : checkoutIn(join(root, path.slice(0, -1)))
    return checkout === undefined ? [] : [{ path, checkout }]
  })
}
