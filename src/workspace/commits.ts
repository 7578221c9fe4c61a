import { join } from 'node:path'
import type { FoundCommit } from '../domain/evidence/found-changes.ts'
import type { Span } from '../domain/evidence/span.ts'
import { stampOf } from '../platform/files/walk.ts'
import type { LookingGit } from '../platform/git/look.ts'
import type { Base } from '../ports/workspace.ts'
import { at } from './found-changes.ts'
import { outputOf } from './git.ts'

const LOOKED_AT = 200
/** More are a generated tree, or a merge of two histories. */
const MOST_PATHS = 1000
/** A commit's time is in whole seconds. */
const SECOND = 1000

type GitBase = Extract<Base, { kind: 'git' }>

interface Commit {
  readonly id: string
  readonly tree: string
  readonly at: number
  readonly paths: readonly string[]
}

/**
 * Commits on HEAD or a local branch that were on none of them before, newest first. Leaves out commits without a new tree
 * (empty ones, reverts to an earlier state) and fetched ones: older than the run, and known to a remote or by a tag.
 */
export async function newCommits(
  git: LookingGit,
  base: GitBase,
  { since, objects }: { since: number; objects: string },
): Promise<FoundCommit[]> {
  const known = new Set(base.trees)
  if (base.own !== undefined) known.add(outputOf(await git(['rev-parse', `${base.own.since}^{tree}`]))?.trim() ?? '')
  const fresh = (await reachable(git, base)).filter((commit) => !known.has(commit.tree))
  const own = fresh.some((commit) => commit.at < since - SECOND)
    ? new Set((await reachable(git, base, ['--remotes', '--tags'])).map((commit) => commit.id))
    : undefined
  return fresh
    .filter((commit) => commit.at >= since - SECOND || own?.has(commit.id) === true)
    .map((commit) => ({ id: commit.id, paths: commit.paths, when: whenMade(commit, objects) }))
}

async function reachable(git: LookingGit, base: GitBase, without: readonly string[] = []): Promise<Commit[]> {
  // A file can have any name: only this look knows where a commit begins.
  const mark = `\u0001${crypto.randomUUID()} `
  const text = outputOf(
    await git([
      ...['log', `--max-count=${LOOKED_AT}`, '-z', '--name-only', '--no-renames', `--format=${mark}%H %T %ct`],
      ...['--topo-order', '--ignore-missing', ...reached(base), '--not', ...base.heads, ...without, '--'],
    ]),
  )
  const records = (text ?? '').split(mark).slice(1)
  return records.map((record) => {
    const [head = '', ...names] = record.split('\0')
    const [id = '', tree = '', seconds = ''] = head.split(' ')
    const paths = names.map((name, i) => (i === 0 ? name.replace(/^\n/, '') : name)).filter((name) => name !== '')
    return { id, tree, at: Number(seconds) * SECOND, paths: paths.slice(0, MOST_PATHS) }
  })
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
