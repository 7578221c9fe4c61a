import { isAbsolute, join } from 'node:path'
import { isObject } from '../../domain/task/settings.ts'
import { AppError } from '../../errors.ts'
import { readAgentText } from '../../platform/files/agent-file.ts'
import { isPlainFile } from '../../platform/files/folder.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import { type LookingGit, looking, readGit } from '../../platform/git/look.ts'
import { commitsElsewhere } from '../../platform/git/work-files.ts'
import type { Stamps } from '../../ports/workspace.ts'
import { DIFF, DIFF_LIMITS, namesOf, readNewFile, textOf } from './diff-of-files.ts'
import { readOutside } from './diff-outside.ts'
import type { CommitRange, DiffPlace } from './diff-place.ts'

export interface DiffOptions {
  readonly env: NodeJS.ProcessEnv
  /** Receives the diff in pieces as git prints it: it may be of any size. */
  take(bytes: Uint8Array): void
}

export interface DiffRead {
  /** The checkout, and the commit or tree that it is compared with. */
  readonly root: string
  readonly since: string
  /** Files that git does not track yet. */
  readonly newFiles: readonly string[]
  /** Changes of this task that the diff does not contain: new files that are too many, no plain files or gone meanwhile. */
  readonly leftOut: readonly string[]
  /** In the diff with what had changed in them before this task, which nobody kept. */
  readonly onTop: readonly string[]
  /** It is not known which changes are this task's: the diff has all that is different there since. */
  readonly isOfAll: boolean
  /** Changed in the checkout since, and not by this task as far as fleet can tell. */
  readonly others: readonly string[]
}

/** Each is one call of git. */
const MOST_NEW_FILES = 200

/**
 * Reads what the runs of a task changed in the checkout since before the attempt in this folder, with the files that git does
 * not track. Where it is not known which files that are: everything that changed there. Of a place with commits: what these
 * changed.
 */
export async function readDiff(place: DiffPlace, { env, take }: DiffOptions): Promise<DiffRead> {
  if (place.commits !== undefined) return await readCommits(place.commits, { env, take })
  const { root, head, dirty, isApart } = baseIn(place)
  const checkout = checkoutIn(root)
  if (checkout === undefined) {
    const landed = await readLanded(place.landed ?? [], { env, take })
    if (landed !== undefined) return landed
    throw new AppError('failed', `${root} is no git checkout any more, so there is no diff`, {
      hint: 'the receipt names the files that changed',
    })
  }
  return await looking(checkout, env, async (git) => {
    const since = head ?? (await textOf(git, ['hash-object', '-t', 'tree', '/dev/null'])).trim()
    const changed = await namesOf(git, [...DIFF, '--name-only', '--no-renames', '-z', since, '--'])
    const untracked = await namesOf(git, ['ls-files', '--others', '--exclude-standard', '-z'])
    const all = [...changed, ...untracked]
    const own = place.own === undefined ? new Set(all) : ownAmong(place, { root, isApart }, all)
    const tracked = changed.filter((name) => own.has(name))
    if (tracked.length === changed.length) await readGit(git, [...DIFF, since, '--'], { ...DIFF_LIMITS, take })
    else if (tracked.length > 0)
      await readGit(git, ['--literal-pathspecs', ...DIFF, since, '--', ...tracked], { ...DIFF_LIMITS, take })
    // Files that git ignores are new as well.
    const known = new Set([...changed, ...untracked])
    const hidden = [...own].filter((name) => !known.has(name) && !isAbsolute(name))
    const ignored = hidden.length === 0 ? [] : await ignoredAmong(git, hidden)
    const newFiles = [...untracked.filter((name) => own.has(name)), ...ignored]
    // A name that ends in a slash is a repository inside this one.
    const plainFiles = newFiles.filter((name) => isPlainFile(join(root, name))).slice(0, MOST_NEW_FILES)
    const shown = new Set(tracked)
    for (const name of plainFiles) if (await readNewFile(git, { root, name, take })) shown.add(name)
    for (const name of await readCommitsElsewhere(git, place.made ?? [], take)) shown.add(name)
    const here = new Set([...changed, ...newFiles.filter((name) => !name.endsWith('/'))])
    const outside = [...own].filter((name) => !here.has(name))
    const { startedAt = Date.now() } = place
    const elsewhere = await readOutside(git, outside, { root, startedAt, dirty, env, take })
    for (const name of elsewhere.shown) shown.add(name)
    // A repository inside this one is known by its folder alone.
    const holdsOwn = (name: string): boolean => name.endsWith('/') && [...own].some((each) => each.startsWith(name))
    return {
      root,
      since,
      newFiles,
      leftOut: [...new Set([...newFiles, ...elsewhere.leftOut])].filter((name) => !shown.has(name)),
      onTop: isApart ? [] : [...shown].filter((name) => Object.hasOwn(dirty, name)).sort(),
      isOfAll: place.own === undefined,
      others: [...known].filter((name) => !own.has(name) && !holdsOwn(name)).sort(),
    }
  })
}

/** What its ended runs changed, and of those under way what is traced to them so far. */
function ownAmong(
  { own = new Set(), soFar }: DiffPlace,
  where: { readonly root: string; readonly isApart: boolean },
  paths: readonly string[],
): ReadonlySet<string> {
  return soFar === undefined ? own : new Set([...own, ...soFar(where, paths)])
}

/** Work that HEAD does not have, as of a branch that was pushed and deleted. Returns the paths that it changes. */
async function readCommitsElsewhere(
  git: LookingGit,
  made: readonly string[],
  take: DiffOptions['take'],
): Promise<readonly string[]> {
  const paths: string[] = []
  for (const commit of await commitsElsewhere(git, made)) {
    const [, ...form] = DIFF
    const tree = ['diff-tree', '-r', '--root', '--no-commit-id', ...form]
    await readGit(git, [...tree, '-p', commit, '--'], { ...DIFF_LIMITS, take })
    paths.push(...(await namesOf(git, [...tree, '--name-only', '--no-renames', '-z', commit, '--'])))
  }
  return paths
}

async function ignoredAmong(git: LookingGit, names: readonly string[]): Promise<string[]> {
  const ignored = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...names]
  return await namesOf(git, ['--literal-pathspecs', ...ignored])
}

/** A working tree can be changed after it was committed, and only commits land. */
async function readCommits({ repository, base, head }: CommitRange, { env, take }: DiffOptions): Promise<DiffRead> {
  const checkout = checkoutIn(repository)
  if (checkout === undefined) {
    throw new AppError('failed', `the repository ${repository} does not exist any more, so there is no diff`, {
      hint: 'move it back to where it was',
    })
  }
  return await looking(checkout, env, async (git) => {
    await readGit(git, [...DIFF, base, head, '--'], { ...DIFF_LIMITS, take })
    return { root: checkout.root, since: base, newFiles: [], leftOut: [], onTop: [], isOfAll: false, others: [] }
  })
}

/** Where its worktree is gone: what landed; undefined: nothing did. */
async function readLanded(ranges: readonly CommitRange[], options: DiffOptions): Promise<DiffRead | undefined> {
  let read: DiffRead | undefined
  for (const range of ranges) {
    const next = await readCommits(range, options)
    read = { ...next, since: read?.since ?? next.since }
  }
  return read
}

interface GitBase {
  readonly root: string
  /** null: there was no commit yet. */
  readonly head: string | null
  /** The paths that were changed already. */
  readonly dirty: Stamps
  /** It is the task's own worktree. */
  readonly isApart: boolean
}

/** An agent could make it any size. */
const RECORD_LIMIT = 1 << 24

/** As the supervisor recorded it before the attempt began; checked all the same, because it becomes arguments of git. */
function baseIn({ folder, launch }: DiffPlace): GitBase {
  const path = join(folder, 'launch.json')
  const text = launch ?? readAgentText(path, RECORD_LIMIT)
  if (text === undefined) {
    throw new AppError('not-found', `${path} does not exist`, {
      hint: 'the supervisor writes it before it starts an agent',
    })
  }
  const base = parsed(text)
  if (isObject(base) && base['kind'] === 'git') {
    const { root, head, dirty, own } = base
    const known = head === null || (typeof head === 'string' && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(head))
    if (typeof root === 'string' && isAbsolute(root) && known) {
      return {
        root,
        head: head as string | null,
        dirty: (isObject(dirty) ? dirty : {}) as Stamps,
        isApart: isObject(own),
      }
    }
  }
  if (isObject(base) && base['kind'] === 'folder') {
    throw new AppError('failed', 'its directory was no git checkout, so there is no diff', {
      hint: 'the receipt names the files that changed',
    })
  }
  if (base === null) {
    throw new AppError('failed', 'a script is judged by its exit alone, so fleet did not record where it began', {
      hint: 'git diff in its directory shows what is not committed',
    })
  }
  throw new AppError('failed', `${path} does not say where the attempt began`, { hint: 'the file was changed' })
}

function parsed(text: string): unknown {
  try {
    const launch: unknown = JSON.parse(text)
    return isObject(launch) ? launch['base'] : undefined
  } catch {
    return undefined
  }
}
