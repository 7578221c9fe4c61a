import { basename, dirname, join } from 'node:path'
import { publicRemote } from '../domain/task/repository.ts'
import { AppError } from '../errors.ts'
import { entryAt, makeFolder, move, namesIn } from '../platform/files/folder.ts'
import { discardFolder } from '../platform/files/temporary-folder.ts'
import { type OutputOf, outputOf } from '../platform/process/output-of.ts'
import type { Workspace } from '../ports/workspace.ts'
import { git, said, whyNot } from './git.ts'

const CLONE_MS = 30 * 60_000
const FETCH_MS = 5 * 60_000
const MAX_BYTES = 1 << 20

type CloneOrder = Parameters<Workspace['checkOut']>[0]

/**
 * A checkout of a repository that is on this machine only for fleet. It appears whole or not at all; one that is there
 * is used again. Answers with what a person should know: why it could not be brought up to date. `ending` ends what is
 * under way.
 */
export async function checkOut(order: CloneOrder, ending?: AbortSignal): Promise<string | undefined> {
  const git = (timeoutMs: number, ...argv: readonly string[]) => remotely(argv, { timeoutMs, ending })
  return await inTurn(order.root, async () => {
    if (entryAt(`${order.root}/.git`) === undefined) return await clone(order, git)
    return order.alone ? await bringUpToDate(order, git) : undefined
  })
}

type Git = (timeoutMs: number, ...argv: readonly string[]) => Promise<OutputOf>

async function clone({ remote, root }: CloneOrder, git: Git): Promise<undefined> {
  // Checked once more where it is handed to a program.
  if (publicRemote(remote) !== remote) throw new AppError('failed', `${remote} is no address to clone from`)
  makeFolder(dirname(root))
  clearAway(root)
  const partial = `${root}${PARTIAL}${crypto.randomUUID().slice(0, 8)}`
  const ran = await git(CLONE_MS, 'clone', '--quiet', '--', remote, partial)
  if (said(ran) === undefined) {
    discardFolder(partial)
    throw new AppError('failed', `${remote} could not be cloned: ${whyNot(ran)}`)
  }
  try {
    move(partial, root)
  } catch (error) {
    discardFolder(partial)
    // Another home of this machine was quicker.
    if (entryAt(`${root}/.git`) === undefined) throw error
  }
}

const PARTIAL = '.partial-'

/** What was left by a supervisor that was killed in the middle, so long ago that nobody can be at it still. */
function clearAway(root: string): void {
  for (const name of namesIn(dirname(root)).filter((each) => each.startsWith(`${basename(root)}${PARTIAL}`))) {
    const path = join(dirname(root), name)
    if (Date.now() - (entryAt(path)?.changedAt ?? 0) > 2 * CLONE_MS) discardFolder(path)
  }
}

/** Only forward, and only where nothing was left lying: what an agent did there is not ours to move. */
async function bringUpToDate({ remote, root }: CloneOrder, distant: Git): Promise<string | undefined> {
  const fetched = await distant(FETCH_MS, '-C', root, 'fetch', '--quiet', 'origin')
  if (said(fetched) === undefined) return `${remote} could not be fetched: ${whyNot(fetched)}`
  if (said(await git(root, 'status', '--porcelain')) !== '') return `${root} has changes of its own and stays as it is`
  const merged = await git(root, 'merge', '--quiet', '--ff-only', '@{upstream}')
  return said(merged) === undefined ? `${root} has commits of its own and stays as it is` : undefined
}

/** With the user's own keys and helpers, and nobody to ask. No protocol that would run a program named in the address. */
function remotely(
  argv: readonly string[],
  { timeoutMs, ending }: { timeoutMs: number; ending: AbortSignal | undefined },
): Promise<OutputOf> {
  const kept = Object.entries(process.env).filter(([name]) => !OF_A_REPOSITORY.has(name) && !/ASKPASS/.test(name))
  return outputOf('git', {
    argv: ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', ...argv],
    env: {
      ...Object.fromEntries(kept),
      GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
    },
    timeoutMs,
    maxBytes: MAX_BYTES,
    ...(ending === undefined ? {} : { signal: ending }),
  })
}

/** Set by a git around us (a hook started the supervisor), these would point at another repository. */
const OF_A_REPOSITORY = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
])

const turns = new Map<string, Promise<unknown>>()

/** One at a time for each checkout: tasks of one repository often begin together. */
async function inTurn<T>(root: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(root) ?? Promise.resolve()
  const mine = before.then(work, work)
  turns.set(root, mine)
  try {
    return await mine
  } finally {
    if (turns.get(root) === mine) turns.delete(root)
  }
}
