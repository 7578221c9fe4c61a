import { join } from 'node:path'
import { isGone, pacer, stampAbove, stampOf } from '../platform/files/walk.ts'
import type { Base, Stamps } from '../ports/workspace.ts'
import { newCommits } from './commits.ts'
import { type Found, homeIn, isFinderFile, notBefore, TICK_MS } from './found-changes.ts'
import { type DirtyPath, git, outputOf, statusPaths, whyFailed } from './git.ts'
import { isOther, STAMPS_LIMIT, withContents } from './stamps.ts'

type GitBase = Extract<Base, { kind: 'git' }>

const HEADS_LIMIT = 2000

const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames']

/** undefined: not a checkout, or one that git refuses to read. */
export async function checkoutBase(cwd: string, home: string): Promise<GitBase | undefined> {
  const root = outputOf(await git(cwd, 'rev-parse', '--show-toplevel'))?.replace(/\n$/, '')
  if (root === undefined || root === '') return undefined
  const [head, branches, status] = await Promise.all([
    git(root, 'log', '-1', '--format=%H %T', 'HEAD', '--'),
    git(
      root,
      'for-each-ref',
      `--count=${HEADS_LIMIT}`,
      '--sort=-committerdate',
      '--format=%(objectname) %(tree)',
      'refs/heads',
    ),
    git(root, ...STATUS),
  ])
  const text = outputOf(status)
  if (text === undefined) return undefined
  const own = outputOf(head)?.trim() ?? ''
  const pairs = [own, ...(outputOf(branches) ?? '').split('\n')]
    .filter((pair) => pair !== '')
    .map((pair) => pair.split(' '))
  const ofHome = homeIn(root, home)
  const paths = statusPaths(text).filter(({ path }) => !ofHome(path))
  return {
    kind: 'git',
    cwd,
    root,
    head: own === '' ? null : (own.split(' ')[0] as string),
    heads: [...new Set(pairs.map(([commit]) => commit as string))],
    trees: [...new Set(pairs.map(([, tree]) => tree ?? ''))],
    dirty: await withContents(root, await stampsOf(root, paths.slice(0, STAMPS_LIMIT))),
    dirtyWhole: paths.length <= STAMPS_LIMIT,
  }
}

export async function checkoutChanges(base: GitBase, more: { since: number; home: string }): Promise<Found> {
  const [status, commits, moved] = await Promise.all([
    git(base.root, ...STATUS),
    newCommits(base, more.since),
    differingFrom(base),
  ])
  const text = outputOf(status)
  if (text === undefined) return { files: [], commits, unknown: whyFailed(status) }
  const ofHome = homeIn(base.root, more.home)
  const paths = statusPaths(text)
  const dirty = await changedSince(base, paths, more.since)
  // A file that equals its state before the run is no change, even if git says so after a reset.
  const files = dirty
    .filter((each) => !each.tracked || moved === undefined || moved.has(each.path))
    .map(({ path }) => path)
  if (commits.length > 0) for (const path of moved ?? []) if (!Object.hasOwn(base.dirty, path)) files.push(path)
  files.push(...deletedUnknown(base, paths))
  return { files: [...new Set(files)].filter((path) => !ofHome(path) && !isFinderFile(path)).sort(), commits }
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
async function differingFrom({ root, head }: GitBase): Promise<ReadonlySet<string> | undefined> {
  if (head === null) return undefined
  const plainly = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv']
  const text = outputOf(await git(root, 'diff', ...plainly, head, '--'))
  return text === undefined ? undefined : new Set(text.split('\0').filter((path) => path !== ''))
}
