import { join } from 'node:path'
import type { FoundCommit } from '../domain/evidence/found-changes.ts'
import type { Span } from '../domain/evidence/span.ts'
import { stampOf } from '../platform/files/walk.ts'
import type { Checkout } from '../platform/git/checkout.ts'
import type { LookingGit } from '../platform/git/look.ts'
import type { GitBase } from '../ports/workspace.ts'
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
 * (empty ones, reverts to an earlier state) and fetched ones: older than the run, and known to a remote or by a tag.
 */
export async function newCommits(
  git: LookingGit,
  base: GitBase,
  { since, checkout, lost }: CommitsOrder,
): Promise<FoundCommit[]> {
  const objects = join(checkout.commonFolder, 'objects')
  const known = new Set(base.trees)
  if (base.own !== undefined) known.add(outputOf(await git(['rev-parse', `${base.own.since}^{tree}`]))?.trim() ?? '')
  const fresh = withNewTips(await reachable(git, base, reached(base)), known)
  const own = fresh.some((commit) => commit.at < since - SECOND)
    ? new Set((await reachable(git, base, reached(base), ['--remotes', '--tags'])).map((commit) => commit.id))
    : undefined
  const here = fresh.filter((commit) => commit.at >= since - SECOND || own?.has(commit.id) === true)
  const pushed = await madeElsewhere(git, base, { since, checkout, lost, known: new Set(here.map(({ id }) => id)) })
  const found = (commits: readonly Commit[]): FoundCommit[] =>
    commits.map((commit) => ({ id: commit.id, paths: commit.paths, when: whenMade(commit, objects) }))
  // The log of HEAD tells whole seconds.
  const later = found(pushed.filter(({ tree }) => !known.has(tree))).filter(({ when }) => when.to >= since - TICK_MS)
  return [...found(here), ...later]
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
  const byId = new Map(commits.map((commit) => [commit.id, commit]))
  const found = new Set<string>()
  const left = commits.filter(({ isTip, tree }) => isTip && !known.has(tree)).map(({ id }) => id)
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const commit = byId.get(id)
    if (commit === undefined || found.has(id)) continue
    found.add(id)
    left.push(...commit.parents)
  }
  return commits.filter(({ id, tree }) => found.has(id) && !known.has(tree))
}

/** Commits made here that no local branch has any more: pushed from a branch that was deleted then, or tagged. */
async function madeElsewhere(
  git: LookingGit,
  base: GitBase,
  { since, checkout, lost, known }: CommitsOrder & { known: ReadonlySet<string> },
): Promise<readonly Commit[]> {
  const made = [...madeHere(checkout, since)].filter((id) => !known.has(id)).slice(0, LOOKED_AT)
  if (made.length === 0) return []
  const from = lost ? made : ['--remotes', '--tags']
  const isMade = new Set(made)
  return (await reachable(git, base, from)).filter(({ id }) => isMade.has(id))
}

/** Other branches of a repository with worktrees are other tasks', and what the target has by now came from there. */
function reached({ own }: GitBase): readonly string[] {
  if (own === undefined) return ['--branches', 'HEAD']
  return own.target === null ? ['HEAD'] : ['HEAD', `^refs/heads/${own.target}`]
}

/** By the object's own file, whose time nobody can choose; one that is packed already has only the commit's own time. */
function whenMade({ id, at: told }: Commit, objects: string): Span {
  const stamp = stampOf(join(objects, id.slice(0, 2), id.slice(2)))
  return stamp === undefined ? { from: told, to: told + SECOND } : at(stamp.ctime)
}
