import { join } from 'node:path'
import type { FoundCommit, FoundFile } from '../domain/evidence/found-changes.ts'
import { AppError } from '../errors.ts'
import { isGone, pacer, stampAbove, stampOf } from '../platform/files/walk.ts'
import { type Checkout, checkoutAt, checkoutIn } from '../platform/git/checkout.ts'
import { CannotLook, type LookingGit, looking } from '../platform/git/look.ts'
import type { Base, Stamps } from '../ports/workspace.ts'
import { newCommits } from './commits.ts'
import { dirtyPaths } from './dirty-paths.ts'
import { byPath, type Found, homeIn, isFinderFile, notBefore, TICK_MS, whenChanged } from './found-changes.ts'
import { type DirtyPath, outputOf, whyFailed } from './git.ts'
import { isOther, STAMPS_LIMIT, withContents } from './stamps.ts'

type GitBase = Extract<Base, { kind: 'git' }>

const HEADS_LIMIT = 2000

/** undefined: not a checkout, or one that git cannot read. */
export async function checkoutBase(cwd: string, home: string): Promise<GitBase | undefined> {
  const checkout = checkoutAt(cwd)
  if (checkout === undefined) return undefined
  try {
    return await looking(checkout, process.env, (git) => baseOf(git, { cwd, root: checkout.root, home }))
  } catch (error) {
    if (error instanceof AppError && !(error instanceof CannotLook)) return undefined
    throw error
  }
}

async function baseOf(
  git: LookingGit,
  { cwd, root, home }: { cwd: string; root: string; home: string },
): Promise<GitBase | undefined> {
  const [head, branches, paths] = await Promise.all([
    git(['log', '-1', '--format=%H %T', 'HEAD', '--']),
    git([
      ...['for-each-ref', `--count=${HEADS_LIMIT}`, '--sort=-committerdate'],
      ...['--format=%(objectname) %(tree)', 'refs/heads'],
    ]),
    dirtyPaths(git, root),
  ])
  if (!Array.isArray(paths)) return undefined
  const own = outputOf(head)?.trim() ?? ''
  const pairs = [own, ...(outputOf(branches) ?? '').split('\n')]
    .filter((pair) => pair !== '')
    .map((pair) => pair.split(' '))
  const ofHome = homeIn(root, home)
  const dirty = paths.filter(({ path }) => !ofHome(path))
  return {
    kind: 'git',
    cwd,
    root,
    head: own === '' ? null : (own.split(' ')[0] as string),
    heads: [...new Set(pairs.map(([commit]) => commit as string))],
    trees: [...new Set(pairs.map(([, tree]) => tree ?? ''))],
    dirty: await withContents(root, await stampsOf(root, dirty.slice(0, STAMPS_LIMIT))),
    dirtyWhole: dirty.length <= STAMPS_LIMIT,
  }
}

export async function checkoutChanges(base: GitBase, more: { since: number; home: string }): Promise<Found> {
  const checkout = checkoutIn(base.root)
  if (checkout === undefined) {
    return { files: [], commits: [], unknown: `${base.root} is no git checkout any more` }
  }
  return await looking(checkout, process.env, (git) => changesOf(git, base, { ...more, checkout }))
}

async function changesOf(
  git: LookingGit,
  base: GitBase,
  { since, home, checkout }: { since: number; home: string; checkout: Checkout },
): Promise<Found> {
  const [paths, made, moved] = await Promise.all([
    dirtyPaths(git, base.root),
    newCommits(git, base, { since, objects: join(checkout.commonFolder, 'objects') }),
    differingFrom(git, base),
  ])
  if (!Array.isArray(paths)) return { files: [], commits: made, unknown: whyFailed(paths) }
  const commits = made.flatMap((commit) => ownPart(base, commit))
  const ofHome = homeIn(base.root, home)
  const dirty = await changedSince(base, paths, since)
  // A file that equals its state before the run is no change, even if git says so after a reset.
  const files = dirty
    .filter((each) => !each.tracked || moved === undefined || moved.has(each.path))
    .map(({ path }) => path)
  files.push(...deletedUnknown(base, paths))
  const timed = new Set(files)
  // A commit took them in, or another branch brought them: only a name or their commit traces them.
  const others = commits.flatMap((commit) => commit.paths)
  if (commits.length > 0) for (const path of moved ?? []) if (!Object.hasOwn(base.dirty, path)) others.push(path)
  const counts = (path: string): boolean => !ofHome(path) && !isFinderFile(path)
  const found: FoundFile[] = [
    ...[...timed].map((path) => ({ path, when: whenChanged(join(base.root, path), since) })),
    ...[...new Set(others)].filter((path) => !timed.has(path)).map((path) => ({ path, when: undefined })),
  ]
  return { files: found.filter(({ path }) => counts(path)).sort(byPath), commits }
}

/** Without the paths that stand as they did before the run: what was left there is no work of the one who commits it. */
function ownPart(base: GitBase, commit: FoundCommit): FoundCommit[] {
  const paths = commit.paths.filter((path) => !isAsBefore(base, path))
  return paths.length === 0 && commit.paths.length > 0 ? [] : [{ ...commit, paths }]
}

function isAsBefore({ root, dirty }: GitBase, path: string): boolean {
  if (!Object.hasOwn(dirty, path)) return false
  const full = join(root, path)
  return !isOther(dirty[path] as string, String(stampOf(full)?.ctime ?? GONE), full)
}

/** The paths whose content differs from before the run. */
async function changedSince(base: GitBase, paths: readonly DirtyPath[], since: number): Promise<DirtyPath[]> {
  const now = await stampsOf(base.root, paths)
  const fresh = notBefore(since, TICK_MS)
  const changed = ({ path }: DirtyPath): boolean => {
    const full = join(base.root, path)
    if (Object.hasOwn(base.dirty, path)) return isOther(base.dirty[path] as string, now[path] as string, full)
    if (base.dirtyWhole) return true
    const stamp = stampOf(full) ?? stampAbove(full)
    return stamp !== undefined && fresh(stamp.ctime)
  }
  const pause = pacer()
  const found: DirtyPath[] = []
  for (const each of paths) {
    await pause()
    if (changed(each)) found.push(each)
  }
  return found
}

/** Untracked files that the run deleted: git no longer mentions them. */
function deletedUnknown({ root, dirty }: GitBase, paths: readonly DirtyPath[]): string[] {
  const listed = new Set(paths.map(({ path }) => path))
  return Object.entries(dirty)
    .filter(([path, stamp]) => !listed.has(path) && !stamp.endsWith(GONE) && isGone(join(root, path)))
    .map(([path]) => path)
}

/** The stamp of a path that does not exist. */
const GONE = 'gone'

async function stampsOf(root: string, paths: readonly DirtyPath[]): Promise<Stamps> {
  const pause = pacer()
  const stamps: Record<string, string> = Object.create(null)
  for (const { path, submodule } of paths) {
    await pause()
    const inside = submodule.startsWith('S') ? submodule : ''
    stamps[path] = `${inside}${stampOf(join(root, path))?.ctime ?? GONE}`
  }
  return stamps
}

/** Tracked paths that differ from the commit before the run; undefined: git cannot tell. */
async function differingFrom(git: LookingGit, { head }: GitBase): Promise<ReadonlySet<string> | undefined> {
  if (head === null) return undefined
  const plainly = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty']
  const text = outputOf(await git(['diff', ...plainly, head, '--']))
  return text === undefined ? undefined : new Set(text.split('\0').filter((path) => path !== ''))
}
