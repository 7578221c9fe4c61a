import { basename, dirname, join } from 'node:path'
import { publicRemote } from '../domain/task/repository.ts'
import { AppError } from '../errors.ts'
import { entryAt, makeFolder, move, namesIn } from '../platform/files/folder.ts'
import { discardFolder, discardLarge, temporaryFolder } from '../platform/files/temporary-folder.ts'
import { type Checkout, checkoutIn } from '../platform/git/checkout.ts'
import type { ConfigOwner } from '../platform/git/git-owner.ts'
import { looking } from '../platform/git/look.ts'
import { PRIVATE_FOLDER } from '../platform/git/private-folder.ts'
import { writeUserConfig } from '../platform/git/user-config.ts'
import { updating, type WritingGit, writing } from '../platform/git/write.ts'
import { inTurn } from '../platform/runtime/in-turn.ts'
import type { Workspace } from '../ports/workspace.ts'
import { outputOf, whyFailed } from './git.ts'

const CLONE_MS = 30 * 60_000
const FETCH_MS = 5 * 60_000
const MERGE_MS = 5 * 60_000

type CloneOrder = Parameters<Workspace['checkOut']>[0]

/**
 * Makes or updates fleet's own clone of a repository. A new clone appears whole or not at all. Returns why an existing
 * clone could not be updated; it is used as it is then.
 */
export async function checkOut(order: CloneOrder, owner: CloneOwner): Promise<string | undefined> {
  // Tasks of one repository often start together.
  return await inTurn(order.root, async () => {
    const isThere = entryAt(`${order.root}/.git`) !== undefined
    if (isThere && !order.alone) return undefined
    const folder = temporaryFolder(PRIVATE_FOLDER)
    try {
      const remote = remoteEnvironment(process.env)
      const env = { ...remote, ...writeUserConfig(owner.config(), { folder, env: remote }) }
      return await (isThere ? bringUpToDate(order, env, owner) : clone(order, env, owner))
    } finally {
      discardFolder(folder)
    }
  })
}

export interface CloneOwner extends ConfigOwner {
  /** Aborts a git command under way. */
  readonly signal?: AbortSignal
}

async function bringUpToDate(
  order: CloneOrder,
  env: NodeJS.ProcessEnv,
  owner: CloneOwner,
): Promise<string | undefined> {
  const checkout = checkoutIn(order.root)
  if (checkout === undefined) return `${order.root} is no git checkout any more and stays as it is`
  return await updating({ checkout, remote: order.remote, env }, (git) =>
    update(order, checkout, (argv, options) => git(argv, { ...options, ...stoppedBy(owner) })),
  )
}

function stoppedBy({ signal }: CloneOwner): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

async function clone({ remote, root }: CloneOrder, env: NodeJS.ProcessEnv, owner: CloneOwner): Promise<undefined> {
  // Checked again here, where it becomes an argument of a program.
  if (publicRemote(remote) !== remote) throw new AppError('failed', `${remote} is no address to clone from`)
  makeFolder(dirname(root))
  await clearAway(root)
  const partial = `${root}${PARTIAL}${crypto.randomUUID().slice(0, 8)}`
  const argv = ['clone', '--quiet', '--', remote, partial]
  const ran = await writing(env)(argv, { timeoutMs: CLONE_MS, ...stoppedBy(owner) })
  if (outputOf(ran) === undefined) {
    await discardLarge(partial)
    throw new AppError('failed', `${remote} could not be cloned: ${whyFailed(ran)}`)
  }
  try {
    move(partial, root)
  } catch (error) {
    await discardLarge(partial)
    // Another home on this machine has just made it.
    if (entryAt(`${root}/.git`) === undefined) throw error
  }
}

const PARTIAL = '.partial-'

/** Removes partial clones of supervisors that were killed meanwhile: so old that no clone can still be under way. */
async function clearAway(root: string): Promise<void> {
  for (const name of namesIn(dirname(root)).filter((each) => each.startsWith(`${basename(root)}${PARTIAL}`))) {
    const path = join(dirname(root), name)
    if (Date.now() - (entryAt(path)?.changedAt ?? 0) > 2 * CLONE_MS) await discardLarge(path)
  }
}

/** Fast-forwards only, and only without uncommitted changes: an agent's work must stay where it is. */
async function update({ remote, root }: CloneOrder, checkout: Checkout, git: WritingGit): Promise<string | undefined> {
  const fetched = await git(['fetch', '--quiet', '--no-recurse-submodules', 'origin'], { timeoutMs: FETCH_MS })
  if (outputOf(fetched) === undefined) return `${remote} could not be fetched: ${whyFailed(fetched)}`
  const [status, branch] = await looking(checkout, process.env, (look) =>
    Promise.all([
      look(['status', '--porcelain', '--ignore-submodules=dirty']),
      look(['symbolic-ref', '--quiet', '--short', 'HEAD']),
    ]),
  )
  if (outputOf(status) !== '') return `${root} has changes of its own and stays as it is`
  // On a branch that the remote does not have, or on none, an agent's work may be under way.
  const upstream = `refs/remotes/origin/${outputOf(branch)?.trim() ?? ''}`
  const merged = await git(['merge', '--quiet', '--ff-only', upstream], { timeoutMs: MERGE_MS })
  return outputOf(merged) === undefined ? `${root} has commits of its own and stays as it is` : undefined
}

/** The user's, but a supervisor cannot answer a program that asks for a password. A transport that runs a program is refused. */
function remoteEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const silent = Object.entries(env).filter(([name]) => !/ASKPASS/.test(name))
  return { ...Object.fromEntries(silent), GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh' }
}
