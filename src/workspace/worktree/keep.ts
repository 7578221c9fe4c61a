import { join } from 'node:path'
import type { Worktree } from '../../domain/run/worktree.ts'
import { beginningOf } from '../../platform/files/beginning-of.ts'
import { isRealFolder, isTooLargeForIndex } from '../../platform/files/folder.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import type { GitOwner } from '../../platform/git/git-owner.ts'
import { type LookingGit, looking } from '../../platform/git/look.ts'
import { repositorySettings, userSettingsIn } from '../../platform/git/settings.ts'
import { type RepositoryGit, type WritingGit, writingIn } from '../../platform/git/write.ts'
import type { Execution } from '../../platform/process/exec.ts'
import type { Kept } from '../../ports/worktrees.ts'
import { outputOf, whyFailed } from '../git.ts'
import { commitOf } from './branch.ts'
import { throwIfFull } from './full-disk.ts'
import { rebuildIndex, replaceIndex } from './index-file.ts'
import { HEAD_BYTES, onBranch, relink } from './link.ts'
import { checkoutOf, noRepository } from './place.ts'
import { STATUS, STATUS_LIMITS } from './status.ts'
import { uncommitted } from './uncommitted.ts'
import { endOperations, putAsideBy, removeLocks } from './unfinished.ts'

const KEEP_MS = 10 * 60_000

/**
 * Makes a commit of the branch from everything that is uncommitted and not ignored, without what its setup left. It goes by the files alone: a commit or a
 * merge that the agent had begun and a lock that it left are ended, an index that it damaged is made again. A repository
 * inside the worktree is left where it is. Call when no process of the agent is left.
 */
export async function keep(
  worktree: Worktree,
  how: { message: string; rescue: string; owner: GitOwner },
): Promise<Kept> {
  const repository = checkoutIn(worktree.repository)
  if (repository === undefined) return { kind: 'failed', why: noRepository(worktree) }
  if (!isRealFolder(worktree.path)) return { kind: 'failed', why: `${worktree.path} does not exist any more` }
  relink(worktree)
  const own = checkoutOf(worktree, repository)
  removeLocks(own, worktree.branch)
  const seen = await seenIn(own, worktree)
  if (typeof seen === 'string') return { kind: 'failed', why: seen }
  const aside = putAsideBy(own)
  if (seen.paths.length === 0 && seen.head === seen.tip && aside === undefined) {
    endOperations(own)
    return { kind: 'clean', head: seen.head }
  }
  const index = join(own.gitFolder, 'index')
  return await writingIn({ checkout: own, owner: how.owner, index }, async (made) => {
    const who = await identity(repository)
    const commit = await commitAll(made, { who, seen, message: how.message, folder: own.commonFolder })
    if ('why' in commit) return { kind: 'failed', why: commit.why }
    const moved = await moveBranch(made.git, { worktree, own, seen, commit: commit.id, rescue: how.rescue })
    if (moved !== undefined) return moved
    replaceIndex(own, made.index)
    const ref = `${how.rescue}-autostash`
    const saved = aside === undefined || outputOf(await made.git(['update-ref', ref, aside])) !== undefined
    if (saved) endOperations(own)
    return commit.id === seen.head ? { kind: 'clean', head: commit.id } : { kind: 'committed', head: commit.id }
  })
}

/** An index that an agent has damaged is made again: it says nothing that the files do not. */
async function seenIn(own: Checkout, worktree: Worktree): Promise<Seen | string> {
  const isUsable = !isTooLargeForIndex(join(own.gitFolder, 'index'))
  const seen = isUsable ? await looking(own, process.env, (git) => look(git, own, worktree)) : ''
  if (typeof seen !== 'string') return seen
  const lacking = await rebuildIndex(own)
  return lacking?.refused ?? (await looking(own, process.env, (git) => look(git, own, worktree)))
}

interface Seen {
  /** The commit that is checked out. */
  readonly head: string
  readonly tree: string
  /** Of its branch. */
  readonly tip: string | undefined
  readonly paths: readonly string[]
}

async function look(git: LookingGit, own: Checkout, worktree: Worktree): Promise<Seen | string> {
  const { branch, base } = worktree
  const [status, found, tip] = await Promise.all([
    git(STATUS, STATUS_LIMITS),
    commitOf(git, 'HEAD'),
    commitOf(git, `refs/heads/${branch}`),
  ])
  const text = outputOf(status)
  if (text === undefined) return whyFailed(status)
  const head = found ?? tip ?? base
  const tree = outputOf(await git(['rev-parse', '--verify', '--quiet', `${head}^{tree}`]))?.trim()
  if (tree === undefined) return `${own.root} is on a commit that cannot be read`
  // A name that ends in a slash is a repository inside this one.
  return {
    head,
    tree,
    tip,
    paths: (await uncommitted(worktree, text)).map(({ path }) => path).filter((path) => !path.endsWith('/')),
  }
}

type Made = { readonly id: string } | { readonly why: string }

async function commitAll(
  { git }: RepositoryGit,
  { who, seen, message, folder }: { who: readonly string[]; seen: Seen; message: string; folder: string },
): Promise<Made> {
  if (seen.paths.length === 0) return { id: seen.head }
  const text = async (argv: readonly string[], input?: string): Promise<Made> => {
    const ran = await git(argv, { timeoutMs: KEEP_MS, ...(input === undefined ? {} : { input }) })
    const out = outputOf(ran)
    if (out !== undefined) return { id: out.trim() }
    throwIfFull(ran, folder)
    return { why: whyFailed(ran) }
  }
  const added = await text(
    ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'],
    `${seen.paths.join('\0')}\0`,
  )
  if ('why' in added) return added
  const tree = await text(['write-tree'])
  if ('why' in tree || tree.id === seen.tree) return 'why' in tree ? tree : { id: seen.head }
  return await text([...who, 'commit-tree', tree.id, '-p', seen.head, '-F', '-'], message)
}

/** undefined: the branch has the commit. */
async function moveBranch(
  git: WritingGit,
  {
    worktree,
    own,
    seen,
    commit,
    rescue,
  }: { worktree: Worktree; own: Checkout; seen: Seen; commit: string; rescue: string },
): Promise<Kept | undefined> {
  const { branch, task } = worktree
  const set = async (ref: string, before: string): Promise<Execution> => {
    const how = ['-m', `fleet: the work of ${task}`, ref, commit, before]
    const ran = await git(['update-ref', ...how], { timeoutMs: KEEP_MS })
    if (outputOf(ran) === undefined) throwIfFull(ran, own.commonFolder)
    return ran
  }
  const { tip = '0'.repeat(commit.length) } = seen
  const isOnIt = seen.tip === undefined || seen.tip === seen.head || (await contains(git, commit, seen.tip))
  if (!isOnIt) {
    const ran = await set(rescue, '0'.repeat(commit.length))
    if (outputOf(ran) === undefined) return { kind: 'failed', why: whyFailed(ran) }
    return { kind: 'astray', head: commit, on: checkedOut(own) }
  }
  const ran = commit === seen.tip ? undefined : await set(`refs/heads/${branch}`, tip)
  if (ran !== undefined && outputOf(ran) === undefined) return { kind: 'failed', why: whyFailed(ran) }
  onBranch(own, branch)
  return undefined
}

async function contains(git: WritingGit, commit: string, earlier: string): Promise<boolean> {
  return outputOf(await git(['merge-base', '--is-ancestor', earlier, commit], { timeoutMs: KEEP_MS })) !== undefined
}

function checkedOut({ gitFolder }: Checkout): string {
  const head = beginningOf(join(gitFolder, 'HEAD'), HEAD_BYTES)?.trim() ?? ''
  return head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : head.slice(0, 12)
}

/** The names and addresses of the user's git configuration. An agent's commits have them, too. */
async function identity(repository: Checkout): Promise<readonly string[]> {
  const own = repositorySettings(repository)
  const user = await userSettingsIn(repository, process.env)
  return IDENTITY.flatMap(([key, fallback]) => {
    const value = own.get(key) ?? user.get(key) ?? fallback
    return value === undefined ? [] : ['-c', `${key}=${value}`]
  })
}

const IDENTITY: readonly (readonly [string, string?])[] = [
  ['user.name', 'fleet'],
  ['user.email', 'fleet@localhost'],
  ...['author', 'committer'].flatMap((role) => [[`${role}.name`], [`${role}.email`]] as [string][]),
]
