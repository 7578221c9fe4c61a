import { join } from 'node:path'
import type { FoundCommit, FoundFile } from '../domain/evidence/found-changes.ts'
import type { Span } from '../domain/evidence/span.ts'
import { AppError } from '../errors.ts'
import { isGone } from '../platform/files/walk.ts'
import { type Checkout, checkoutAt, checkoutIn } from '../platform/git/checkout.ts'
import { CannotLook, type LookingGit, looking } from '../platform/git/look.ts'
import { patient } from '../platform/git/patient.ts'
import type { AskedBase, ChangesOrder, GitBase, OfFleet } from '../ports/workspace.ts'
import { broughtAlong } from './brought-along.ts'
import { newCommits } from './commits.ts'
import { differingFrom, type Moved, modesAlone } from './differing.ts'
import { isFailed } from './dirty-paths.ts'
import { changedSince, GONE, isAsBefore, stampsOf } from './dirty-stamps.ts'
import { dirtyNow, dirtyTogether } from './dirty-together.ts'
import { byPath, type Found, homeIn, isFinderFile, whenChanged } from './found-changes.ts'
import { type DirtyPath, outputOf, whyFailed } from './git.ts'
import { ignoredStamps } from './ignored-stamps.ts'
import { namedElsewhere } from './named-elsewhere.ts'
import { changedRefs, refsOf } from './refs.ts'
import { isOtherModeAlone, STAMPS_LIMIT, withContents } from './stamps.ts'
import { asStashed, stashesOf } from './stashes.ts'
import { weighed } from './weigh.ts'

const HEADS_LIMIT = 2000

/** undefined: not a checkout, or one that git cannot read at all. Throws CannotLook where it only takes too long. */
export async function checkoutBase(
  cwd: string,
  home: string,
  { withRefs }: { withRefs: boolean },
): Promise<(GitBase & Pick<AskedBase, 'refs'>) | undefined> {
  const checkout = checkoutAt(cwd)
  if (checkout === undefined) return undefined
  try {
    return await looking(checkout, process.env, (git) => baseOf(patient(git), { cwd, checkout, home, withRefs }))
  } catch (error) {
    if (error instanceof AppError && !(error instanceof CannotLook)) return undefined
    throw error
  }
}

async function baseOf(
  git: LookingGit,
  { cwd, checkout, home, withRefs }: { cwd: string; checkout: Checkout; home: string; withRefs: boolean },
): Promise<(GitBase & Pick<AskedBase, 'refs'>) | undefined> {
  const { root } = checkout
  const stashes = stashesOf(checkout)
  const [refs, head, branches, found, ignored] = await Promise.all([
    withRefs ? refsOf(git) : undefined,
    git(['log', '-1', '--format=%H %T', 'HEAD', '--']),
    git([
      ...['for-each-ref', `--count=${HEADS_LIMIT}`, '--sort=-committerdate'],
      ...['--format=%(objectname) %(tree)', 'refs/heads'],
    ]),
    dirtyNow(checkout, git),
    ignoredStamps(git, root),
  ])
  if (isFailed(found)) return undefined
  const own = outputOf(head)?.trim() ?? ''
  const pairs = [own, ...(outputOf(branches) ?? '').split('\n')]
    .filter((pair) => pair !== '')
    .map((pair) => pair.split(' '))
  const ofHome = homeIn(root, home)
  const dirty = found.paths.filter(({ path }) => !ofHome(path))
  return {
    kind: 'git',
    cwd,
    root,
    head: own === '' ? null : (own.split(' ')[0] as string),
    heads: [...new Set(pairs.map(([commit]) => commit as string))],
    trees: [...new Set(pairs.map(([, tree]) => tree ?? ''))],
    dirty: await withContents(root, await stampsOf(root, dirty.slice(0, STAMPS_LIMIT))),
    dirtyWhole: dirty.length <= STAMPS_LIMIT,
    ignored,
    ...(stashes.length > 0 && { stashes }),
    ...(refs !== undefined && { refs }),
  }
}

export async function checkoutChanges(base: GitBase & { asked?: AskedBase }, more: ChangesOrder): Promise<Found> {
  const checkout = checkoutIn(base.root)
  if (checkout === undefined) {
    return { files: [], commits: [], unknown: `${base.root} is no git checkout any more` }
  }
  return await looking(checkout, process.env, (git) => changesOf(patient(git), base, { ...more, checkout }))
}

async function changesOf(
  git: LookingGit,
  base: GitBase & { asked?: AskedBase },
  {
    since,
    home,
    checkout,
    artifacts,
    byProducts,
    named = new Set(),
    ofFleet = NOTHING_OF_FLEET,
    together = {},
  }: ChangesOrder & { checkout: Checkout },
): Promise<Found> {
  const { root, asked, own } = base
  const [looked, made, refs, from, brought] = await Promise.all([
    dirtyTogether(together, checkout, git),
    newCommits(git, base, { since, checkout, lost: asked?.evidence.kind === 'pr', ofFleet }),
    asked?.refs && changedRefs(git, asked.refs, { since, checkout, own, ofFleet }),
    startOf(git, base),
    broughtAlong(git, base),
  ])
  const told = refs === undefined ? {} : { refs }
  if (isFailed(looked)) return { files: [], commits: made, ...told, unknown: whyFailed(looked) }
  const { paths } = looked
  const isBrought = (path: string): boolean => brought?.(path) === true
  const moved = await differingFrom(git, from.head, looked)
  const ofHome = homeIn(root, home)
  const counts = ({ path }: FoundFile): boolean => !ofHome(path) && !isFinderFile(path) && !isBrought(path)
  const timed = await timedChanges(base, { paths, moved, since })
  // A commit took them in, or another branch brought them: only a name or their commit traces them.
  const others = new Set(made.flatMap((commit) => ownPaths(base, commit)))
  if (made.length > 0) for (const path of moved?.keys() ?? []) if (!Object.hasOwn(base.dirty, path)) others.add(path)
  for (const { path } of timed) others.delete(path)
  const untimed = [...others].map((path) => ({ path, when: undefined }))
  const found = [...timed, ...untimed].filter(counts)
  const known = new Set([...found.map(({ path }) => path), ...paths.map(({ path }) => path)])
  const isIgnoredAsBefore = (path: string): boolean => isAsBefore({ ...base, dirty: base.ignored ?? {} }, path)
  const isKnown = (path: string): boolean => known.has(path) || isIgnoredAsBefore(path)
  const elsewhere = await namedElsewhere(git, { root, home, since, named, known: isKnown })
  const stashed = await asStashed(git, base.stashes ?? [], { root, paths: found.map(({ path }) => path) })
  const modes = await modesAlone(git, from.head, moved)
  const tracked = new Set(paths.filter((each) => each.tracked).map(({ path }) => path))
  const files = await weighed([...found, ...elsewhere], {
    root,
    artifacts,
    byProducts,
    isNew: (path) => !Object.hasOwn(base.dirty, path) && (moved?.get(path)?.isNew ?? !tracked.has(path)),
    weakness: (path) =>
      stashed.has(path)
        ? 'was stashed'
        : modes.has(path) || isOtherModeAlone(base.dirty[path], join(root, path))
          ? 'mode'
          : undefined,
  })
  const weak = new Set(files.filter((each) => each.weak !== undefined).map(({ path }) => path))
  const isLess = (path: string): boolean => weak.has(path) || isBrought(path)
  const parts = made.flatMap((commit) => ownPart(base, commit, isLess))
  // A merge that only brings its target tells no paths.
  const hasWork = brought === undefined || files.some((each) => each.weak === undefined)
  const commits = hasWork ? parts : parts.filter(({ paths }) => paths.length > 0)
  return { files: files.sort(byPath), commits, ...told }
}

/** Changes that a worktree took over from its target since are no work of its task. */
async function startOf(git: LookingGit, base: GitBase): Promise<GitBase> {
  const { head, own } = base
  if (head === null || head !== own?.since || own.target === null) return base
  const common = outputOf(await git(['merge-base', 'HEAD', `refs/heads/${own.target}`]))?.trim()
  if (common === undefined || common === head) return base
  // The target may have been replaced since.
  const goesOn = outputOf(await git(['merge-base', '--is-ancestor', head, common])) !== undefined
  return goesOn ? { ...base, head: common } : base
}

const NOTHING_OF_FLEET: OfFleet = { branches: [], landed: [] }

async function timedChanges(
  base: GitBase,
  { paths, moved, since }: { paths: readonly DirtyPath[]; moved: Moved | undefined; since: number },
): Promise<FoundFile[]> {
  const dirty = await changedSince(base, paths, since)
  // A file that equals its state before the run is no change, even if git says so after a reset.
  const files = dirty
    .filter((each) => !each.tracked || moved === undefined || moved.has(each.path))
    .map(({ path }) => path)
  files.push(...deletedUnknown(base, paths))
  // A folder that is a repository of its own tells no time.
  const when = (path: string): Span =>
    path.endsWith('/') ? { from: since, to: Number.MAX_SAFE_INTEGER } : whenChanged(join(base.root, path), since)
  return [...new Set(files)].map((path) => ({ path, when: when(path) }))
}

/** Without the paths that stand as they did before the run: what was left there is no work of the one who commits it. */
function ownPart(base: GitBase, commit: FoundCommit, isLess: (path: string) => boolean): FoundCommit[] {
  const paths = ownPaths(base, commit).filter((path) => !isLess(path))
  return paths.length === 0 && commit.paths.length > 0 ? [] : [{ ...commit, paths }]
}

function ownPaths(base: GitBase, { paths }: FoundCommit): string[] {
  return paths.filter((path) => !isAsBefore(base, path))
}

/** Untracked files that the run deleted: git no longer mentions them. In its worktree only its setup leaves such files. */
function deletedUnknown({ root, dirty, own }: GitBase, paths: readonly DirtyPath[]): string[] {
  if (own !== undefined) return []
  const listed = new Set(paths.map(({ path }) => path))
  return Object.entries(dirty)
    .filter(([path, stamp]) => !listed.has(path) && !stamp.endsWith(GONE) && isGone(join(root, path)))
    .map(([path]) => path)
}
