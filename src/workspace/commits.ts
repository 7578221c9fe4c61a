import { join } from 'node:path'
import type { FoundCommit, Origin } from '../domain/evidence/found-changes.ts'
import type { Span } from '../domain/evidence/span.ts'
import { stampOf } from '../platform/files/walk.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { LookingGit } from '../platform/git/look.ts'
import type { GitBase, OfFleet } from '../ports/workspace.ts'
import { at, TICK_MS } from './found-changes.ts'
import { outputOf } from './git.ts'
import { madeHere } from './made-here.ts'

const LOOKED_AT = 200
/** More are a generated tree, or a merge of two histories. */
const MOST_PATHS = 1000
/** A commit's time is in whole seconds. */
const SECOND = 1000

interface CommitsOrder {
  readonly since: number
  readonly checkout: Checkout
  /** Also those that are on no branch any more. */
  readonly lost: boolean
  readonly ofFleet: OfFleet
}

interface Commit {
  readonly id: string
  readonly tree: string
  readonly at: number
  readonly paths: readonly string[]
  readonly parents: readonly string[]
  /** A branch, a tag or HEAD is on it. */
  readonly isTip: boolean
}

/**
 * Commits on HEAD or a local branch that were on none of them before, newest first. Leaves out commits without a new tree
 * (empty ones, reverts to an earlier state), those that are on branches of other tasks alone, and fetched ones: older than
 * the run, and known to a remote or by a tag.
 */
export async function newCommits(
  git: LookingGit,
  base: GitBase,
  { since, checkout, lost, ofFleet }: CommitsOrder,
): Promise<FoundCommit[]> {
  const objects = join(checkout.commonFolder, 'objects')
  const known = new Set(base.trees)
  if (base.own !== undefined) known.add(outputOf(await git(['rev-parse', `${base.own.since}^{tree}`]))?.trim() ?? '')
  const fresh = await withWork(git, withNewTips(await reachable(git, base, reached(base, ofFleet)), known))
  const own = fresh.some((commit) => commit.at < since - SECOND)
    ? new Set((await reachable(git, base, reached(base, ofFleet), ['--remotes', '--tags'])).map((commit) => commit.id))
    : undefined
  const here = fresh.filter((commit) => commit.at >= since - SECOND || own?.has(commit.id) === true)
  const made = madeHere(checkout, since)
  const pushed = await madeElsewhere(git, base, { lost, made, known: new Set(here.map(({ id }) => id)) })
  const found = (commits: readonly Commit[]): FoundCommit[] =>
    commits.map((commit) => ({ id: commit.id, paths: commit.paths, when: whenMade(commit, objects) }))
  // The log of HEAD tells whole seconds.
  const later = found((await withWork(git, pushed)).filter(({ tree }) => !known.has(tree))).filter(
    ({ when }) => when.to >= since - TICK_MS,
  )
  const origins = await originsOf(git, base, { commits: here, made, ofFleet })
  return [
    ...found(here).map((commit) => ({ ...commit, ...originIn(origins, commit.id) })),
    ...later.map((commit) => ({ ...commit, origin: 'here' as const })),
  ]
}

function originIn(origins: ReadonlyMap<string, Origin>, id: string): { origin?: Origin } {
  const origin = origins.get(id)
  return origin === undefined ? {} : { origin }
}

/** Absent: it may have been made anywhere in the repository. */
async function originsOf(
  git: LookingGit,
  base: GitBase,
  { commits, made, ofFleet }: { commits: readonly Commit[]; made: ReadonlySet<string>; ofFleet: OfFleet },
): Promise<ReadonlyMap<string, Origin>> {
  const isLanded = below(commits, ofFleet.landed)
  const open = commits.filter(({ id }) => !made.has(id) && !isLanded.has(id))
  const idsWithout = async (refs: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set((await reachable(git, base, reached(base, ofFleet), refs)).map(({ id }) => id))
  const branches = ofFleet.branches.map((name) => `refs/heads/${name}`)
  const apart = open.length === 0 || branches.length === 0 ? undefined : await idsWithout(branches)
  const ownBranch = base.own?.branch
  const alone =
    open.length === 0 || ownBranch === undefined
      ? new Set<string>()
      : await idsWithout([`--exclude=${ownBranch}`, '--branches', '--remotes'])
  const originOf = ({ id }: Commit): Origin | undefined => {
    if (made.has(id)) return 'here'
    if (isLanded.has(id) || apart?.has(id) === false) return 'by fleet'
    // On the branch of the task and on no other.
    return alone.has(id) ? 'here' : undefined
  }
  return new Map(
    commits.flatMap((commit) => {
      const origin = originOf(commit)
      return origin === undefined ? [] : [[commit.id, origin] as const]
    }),
  )
}

/** Those of the commits that are one of the tips, or lead to one. */
function below(commits: readonly Commit[], tips: Iterable<string>): ReadonlySet<string> {
  const byId = new Map(commits.map((commit) => [commit.id, commit]))
  const found = new Set<string>()
  const left = [...tips].filter((id) => byId.has(id))
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (found.has(id)) continue
    found.add(id)
    left.push(...(byId.get(id)?.parents.filter((parent) => byId.has(parent)) ?? []))
  }
  return found
}

async function reachable(
  git: LookingGit,
  base: GitBase,
  from: readonly string[],
  without: readonly string[] = [],
): Promise<Commit[]> {
  // A file can have any name: only this look knows where a commit begins.
  const mark = `\u0001${crypto.randomUUID()} `
  const text = outputOf(
    await git([
      ...['log', `--max-count=${LOOKED_AT}`, '-z', '--name-only', '--no-renames', `--format=${mark}%H %T %ct %P|%D`],
      '--decorate=full',
      ...['--topo-order', '--ignore-missing', ...from, '--not', ...base.heads, ...without, '--'],
    ]),
  )
  const records = (text ?? '').split(mark).slice(1)
  return records.map((record) => {
    const [head = '', ...names] = record.split('\0')
    const [about = '', refs = ''] = head.split('|')
    const [id = '', tree = '', seconds = '', ...parents] = about.split(' ')
    const paths = names.map((name, i) => (i === 0 ? name.replace(/^\n/, '') : name)).filter((name) => name !== '')
    return {
      id,
      tree,
      at: Number(seconds) * SECOND,
      paths: paths.slice(0, MOST_PATHS),
      parents,
      isTip: refs !== '',
    }
  })
}

/** Without history that was only written again: commits that lead to nothing but trees that were there before. */
function withNewTips(commits: readonly Commit[], known: ReadonlySet<string>): readonly Commit[] {
  const tips = commits.filter(({ isTip, tree }) => isTip && !known.has(tree)).map(({ id }) => id)
  const found = below(commits, tips)
  return commits.filter(({ id, tree }) => found.has(id) && !known.has(tree))
}

/** Without those whose tree is that of a parent: empty ones, and merges that could have been a move of the branch. */
async function withWork(git: LookingGit, commits: readonly Commit[]): Promise<readonly Commit[]> {
  const asked = commits.filter(({ paths, parents }) => paths.length === 0 && parents.length > 0)
  if (asked.length === 0) return commits
  const parents = [...new Set(asked.flatMap((commit) => commit.parents))]
  const trees = outputOf(await git(['rev-parse', ...parents.map((id) => `${id}^{tree}`)]))
    ?.trim()
    .split('\n')
  const treeOf = new Map(parents.map((id, i) => [id, trees?.[i]]))
  return commits.filter(
    (commit) => !asked.includes(commit) || !commit.parents.some((id) => treeOf.get(id) === commit.tree),
  )
}

/** Commits made here that no local branch has any more: pushed from a branch that was deleted then, or tagged. */
async function madeElsewhere(
  git: LookingGit,
  base: GitBase,
  { lost, made, known }: { lost: boolean; made: ReadonlySet<string>; known: ReadonlySet<string> },
): Promise<readonly Commit[]> {
  const open = [...made].filter((id) => !known.has(id)).slice(0, LOOKED_AT)
  if (open.length === 0) return []
  const from = lost ? open : ['--remotes', '--tags']
  const isMade = new Set(open)
  return (await reachable(git, base, from)).filter(({ id }) => isMade.has(id))
}

/** Other branches of a repository with worktrees are other tasks', and what the target has by now came from there. */
function reached({ own }: GitBase, { branches }: OfFleet): readonly string[] {
  if (own === undefined) return [...branches.map((name) => `--exclude=${name}`), '--branches', 'HEAD']
  return own.target === null ? ['HEAD'] : ['HEAD', `^refs/heads/${own.target}`]
}

/** By the object's own file, whose time nobody can choose; one that is packed already has only the commit's own time. */
function whenMade({ id, at: told }: Commit, objects: string): Span {
  const stamp = stampOf(join(objects, id.slice(0, 2), id.slice(2)))
  return stamp === undefined ? { from: told, to: told + SECOND } : at(stamp.ctime)
}
