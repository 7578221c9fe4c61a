import type { LookingGit } from '../platform/git/look.ts'
import type { Base } from '../ports/workspace.ts'
import { outputOf } from './git.ts'

const LOOKED_AT = 200
/** A commit's time is in whole seconds. */
const SECOND = 1000

type GitBase = Extract<Base, { kind: 'git' }>

interface Commit {
  readonly id: string
  readonly tree: string
  readonly at: number
}

/**
 * Commits on HEAD or a local branch that were on none of them before, newest first. Leaves out commits without a new tree
 * (empty ones, reverts to an earlier state) and fetched ones: older than the run, and known to a remote or by a tag.
 */
export async function newCommits(git: LookingGit, base: GitBase, since: number): Promise<string[]> {
  const known = new Set(base.trees)
  if (base.own !== undefined) known.add(outputOf(await git(['rev-parse', `${base.own.since}^{tree}`]))?.trim() ?? '')
  const fresh = (await reachable(git, base)).filter((commit) => !known.has(commit.tree))
  const own = fresh.some((commit) => commit.at < since - SECOND)
    ? new Set((await reachable(git, base, ['--remotes', '--tags'])).map((commit) => commit.id))
    : undefined
  return fresh
    .filter((commit) => commit.at >= since - SECOND || own?.has(commit.id) === true)
    .map((commit) => commit.id)
}

async function reachable(git: LookingGit, base: GitBase, without: readonly string[] = []): Promise<Commit[]> {
  const text = outputOf(
    await git([
      ...['log', `--max-count=${LOOKED_AT}`, '--format=%H %T %ct', '--topo-order', '--ignore-missing'],
      ...reached(base),
      ...['--not', ...base.heads, ...without, '--'],
    ]),
  )
  const lines = (text ?? '').split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [id = '', tree = '', at = ''] = line.split(' ')
    return { id, tree, at: Number(at) * SECOND }
  })
}

/** Other branches of a repository with worktrees are other tasks', and what the target has by now came from there. */
function reached({ own }: GitBase): readonly string[] {
  if (own === undefined) return ['--branches', 'HEAD']
  return own.target === null ? ['HEAD'] : ['HEAD', `^refs/heads/${own.target}`]
}
