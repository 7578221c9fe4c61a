import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { namesIn } from '../../platform/files/folder.ts'
import type { Checkout } from '../../platform/git/checkout.ts'
import { type LookingGit, looking } from '../../platform/git/look.ts'
import { writingIn } from '../../platform/git/write.ts'
import type { Refused } from '../../ports/worktrees.ts'
import { outputOf, whyFailed } from '../git.ts'
import { isAside } from './aside.ts'
import { throwIfFull } from './full-disk.ts'
import { HEAD_BYTES } from './link.ts'

const REF_MS = 60_000

/**
 * The tip of the branch of a worktree, which is created if it is not there. `taken`: somebody else has made a branch of that
 * name since it was chosen.
 */
export async function ownBranch(
  worktree: Worktree,
  repository: Checkout,
  own: Checkout,
): Promise<string | 'taken' | Refused> {
  const { branch, base, state } = worktree
  const found = await looking(repository, process.env, (git) => commitOf(git, `refs/heads/${branch}`))
  if (found !== undefined) {
    const elsewhere = checkedOutIn(branch, repository, own)
    if (state === 'making' && (found !== base || elsewhere !== undefined)) return 'taken'
    if (elsewhere === undefined) return found
    return {
      refused: `its branch ${branch} is checked out in ${elsewhere}: switch that to another branch, then fleet retry ${worktree.task}`,
    }
  }
  // Deleted meanwhile. What was committed is still in the files, and becomes a commit again.
  return await create(worktree, repository, base)
}

async function create(
  { branch, task, repository: root }: Worktree,
  repository: Checkout,
  commit: string,
): Promise<string | Refused> {
  const ran = await writingIn({ checkout: repository }, ({ git }) =>
    git(
      [
        'update-ref',
        '-m',
        `fleet: the work of ${task}`,
        `refs/heads/${branch}`,
        commit,
        ZERO.padEnd(commit.length, '0'),
      ],
      {
        timeoutMs: REF_MS,
      },
    ),
  )
  if (outputOf(ran) !== undefined) return commit
  throwIfFull(ran, repository.commonFolder)
  return {
    refused: `the branch ${branch} could not be made in ${root} (${whyFailed(ran)}): see git fsck there, then fleet retry ${task}`,
  }
}

const ZERO = '0'

export async function commitOf(git: LookingGit, name: string): Promise<string | undefined> {
  return outputOf(await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]))?.trim()
}

/** The path of another checkout of the repository that has the branch checked out, or rebases it. */
export function checkedOutIn(branch: string, { commonFolder }: Checkout, own: Checkout): string | undefined {
  const has = (folder: string): boolean =>
    ['HEAD', 'rebase-merge/head-name', 'rebase-apply/head-name'].some((name) => {
      const text = beginningOf(join(folder, name), HEAD_BYTES)?.trimEnd()
      return text === `${name === 'HEAD' ? 'ref: ' : ''}refs/heads/${branch}`
    })
  if (has(commonFolder)) return commonFolder.replace(/\/\.git$/, '')
  const other = namesIn(join(commonFolder, 'worktrees'))
    .filter((name) => !isAside(name))
    .map((name) => join(commonFolder, 'worktrees', name))
    .find((folder) => folder !== own.gitFolder && has(folder))
  return other && (beginningOf(join(other, 'gitdir'), HEAD_BYTES)?.replace(/\/\.git\n*$/, '') ?? other)
}
