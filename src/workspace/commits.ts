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
      ...['--branches', 'HEAD', '--not', ...base.heads, ...without, '--'],
    ]),
  )
  const lines = (text ?? '').split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [id = '', tree = '', at = ''] = line.split(' ')
    return { id, tree, at: Number(at) * SECOND }
  })
}
