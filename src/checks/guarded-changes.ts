import { join } from 'node:path'
import type { Guarded } from '../domain/verify/tamper.ts'
import { isOther } from '../platform/files/content-stamp.ts'
import { isGone, stampOf } from '../platform/files/walk.ts'
import { type Checkout, checkoutIn } from '../platform/git/checkout.ts'
import { type LookingGit, looking } from '../platform/git/look.ts'
import type { GitBase } from '../ports/workspace.ts'
import { filesBelow } from './files-below.ts'
import { filteredUnchanged } from './filtered-files.ts'
import { LONG_LIST, namesIn, outputOf, plainOutputOf } from './git-facts.ts'
import { changedIgnored, excludeFile, wasThere } from './ignored-files.ts'
import { leftOutBefore } from './sparse-files.ts'
import { versionBefore } from './version-before.ts'

/** A changed file that decides whether work passes. */
export interface GuardedChange extends Guarded {
  /** The commit that has its base version, or that has no such file; null: there was no commit. */
  readonly from: string | null
  /** Why no base version of it can be put in its place, as the end of a sentence about it; absent: it can. */
  readonly lacksBase?: string
}

export interface GuardedOrder {
  readonly checkout: Checkout
  readonly base: GitBase
  /** When the work began, in milliseconds. */
  readonly since: number
  /** The same for what git ignores: of it nothing is known of the time between two attempts. */
  readonly ignoredSince: number
  readonly guards: (paths: readonly string[]) => readonly Guarded[]
  /** Whether a change of this file may be the work's. */
  readonly counts: (path: string) => boolean
  /** For a list of git's that it may write. */
  readonly index: string
}

/**
 * The files that decide whether work passes and that are not as they were before it. fleet compares them itself: a list of
 * evidence leaves out what is weak, and a repository can be made to hide what was changed.
 */
export async function guardedChanges(git: LookingGit, order: GuardedOrder): Promise<readonly GuardedChange[]> {
  const { checkout, base, ignoredSince, counts } = order
  const { root } = checkout
  const guards = (paths: readonly string[]) => order.guards(paths.filter(counts))
  const from = await versionBefore(git, base)
  const { files: before, submodules } = from === null ? NOTHING : await entriesOf(git, from)
  const had = new Set(before.map(({ path }) => path))
  const added = (await presentFiles(git, order)).filter((path) => !had.has(path) && !isGone(join(root, path)))
  const modified = await modifiedAmong(git, order, before, new Set(guards([...had]).map(({ path }) => path)))
  const found = guards([...modified, ...added]).flatMap((each): GuardedChange[] => {
    const known = knownOf(order, each.path)
    return known === 'as before' ? [] : [{ ...each, from, ...(known === 'dirty' && WAS_DIRTY) }]
  })
  // Tests that git ignores are no base version of any, and a run of the tests may have made them.
  const ignored = guards(await changedIgnored(git, checkout, ignoredSince)).filter(({ kind }) => kind !== 'test')
  const isOld = ({ path }: Guarded): boolean => wasThere(join(root, path), ignoredSince)
  const more = ignored.map((each): GuardedChange => ({ ...each, from, ...(isOld(each) && WAS_DIRTY) }))
  const exclude = excludeFile(checkout, ignoredSince)
  const list = exclude && counts(exclude) ? [{ path: exclude, kind: 'configuration', from } as const] : []
  return [...found, ...more, ...list, ...(await inSubmodules(order, submodules))]
}

/** They are copied as they are. */
async function inSubmodules(
  { guards, counts, ...order }: GuardedOrder,
  submodules: readonly BaseEntry[],
): Promise<readonly GuardedChange[]> {
  const found: GuardedChange[] = []
  for (const { path, id } of submodules) {
    const checkout = checkoutIn(join(order.checkout.root, path))
    if (checkout === undefined) continue
    const below = `${path}/`
    const inside = (each: Guarded) => ({ ...each, path: each.path.slice(below.length) })
    const changed = await looking(checkout, process.env, (git) =>
      guardedChanges(git, {
        ...order,
        checkout,
        base: baseInside(order.base, { below, id, root: checkout.root }),
        guards: (paths) => guards(paths.map((each) => `${below}${each}`)).map(inside),
        counts: (each) => counts(`${below}${each}`),
      }),
    )
    found.push(...changed.map((each) => ({ lacksBase: 'is in a submodule', ...each, path: `${below}${each.path}` })))
  }
  return found
}

function baseInside(
  { own: _, ...base }: GitBase,
  { below, id, root }: { below: string; id: string; root: string },
): GitBase {
  const within = Object.entries(base.dirty).filter(([path]) => path.startsWith(below))
  const dirty = Object.fromEntries(within.map(([path, stamp]) => [path.slice(below.length), stamp]))
  return { ...base, root, head: id, dirty }
}

const WAS_DIRTY = { lacksBase: 'had changes before it that were not committed' } as const

interface BaseEntry {
  readonly path: string
  readonly mode: string
  readonly id: string
}

interface BaseEntries {
  readonly files: readonly BaseEntry[]
  readonly submodules: readonly BaseEntry[]
}

const NOTHING: BaseEntries = { files: [], submodules: [] }
const SUBMODULE = '160000'

async function entriesOf(git: LookingGit, commit: string): Promise<BaseEntries> {
  const lines = namesIn(await outputOf(git, ['ls-tree', '-r', '-z', commit], LONG_LIST))
  const entries = lines.map((line): BaseEntry => {
    const tab = line.indexOf('\t')
    const [mode = '', , id = ''] = line.slice(0, tab).split(' ')
    return { path: line.slice(tab + 1), mode, id }
  })
  return {
    files: entries.filter(({ mode }) => mode !== SUBMODULE),
    submodules: entries.filter(({ mode }) => mode === SUBMODULE),
  }
}

/** Tracked by now or not, but for what git ignores. Of a repository inside this one git names the folder alone. */
async function presentFiles(git: LookingGit, { checkout, base }: GuardedOrder): Promise<readonly string[]> {
  const listed = await outputOf(git, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], LONG_LIST)
  const found: string[] = []
  for (const path of namesIn(listed)) {
    if (!path.endsWith('/')) found.push(path)
    else if (!Object.hasOwn(base.dirty, path)) found.push(...(await filesBelow(checkout.root, path)))
  }
  return found
}

/** An agent could turn off what git compares by. Of no use for that are settings which say how text is written. */
const WHOLE = ['-c', 'core.sparsecheckout=false', '-c', 'core.ignorecase=false']

/** By their contents: an index of fleet's own has these files alone. */
async function modifiedAmong(
  git: LookingGit,
  { checkout, since, index }: GuardedOrder,
  before: readonly BaseEntry[],
  guarded: ReadonlySet<string>,
): Promise<readonly string[]> {
  const files = new Map(before.filter(({ path }) => guarded.has(path)).map((each) => [each.path, each]))
  if (files.size === 0) return []
  const input = [...files.values()].map(({ path, mode, id }) => `${mode} ${id}\t${path}\0`).join('')
  await outputOf(git, ['read-tree', '--empty'], { index })
  await outputOf(git, ['update-index', '-z', '--index-info'], { index, input })
  const listed = await plainOutputOf(git, [...WHOLE, 'ls-files', '-z', '--modified'], { ...LONG_LIST, index })
  const modified = new Set(namesIn(listed))
  for (const path of await leftOutBefore(git, { checkout, since, paths: [...modified] })) modified.delete(path)
  const ids = new Map([...modified].map((path) => [path, files.get(path)?.id ?? '']))
  for (const path of await filteredUnchanged(git, ids)) modified.delete(path)
  return [...modified]
}

/** The state of a file before the work, as far as it was recorded: files that differed from the commit then. */
function knownOf(
  { checkout: { root }, base, since }: GuardedOrder,
  path: string,
): 'as before' | 'dirty' | 'as committed' {
  const full = join(root, path)
  if (Object.hasOwn(base.dirty, path)) {
    const now = String(stampOf(full)?.ctime ?? 'gone')
    return isOther(base.dirty[path] as string, now, full) ? 'dirty' : 'as before'
  }
  if (base.dirtyWhole) return 'as committed'
  return isOlder(full, since) ? 'as before' : 'dirty'
}

function isOlder(full: string, since: number): boolean {
  const stamp = stampOf(full)
  return stamp !== undefined && stamp.ctime < BigInt(Math.trunc(since)) * 1_000_000n
}
