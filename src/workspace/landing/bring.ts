import { join } from 'node:path'
import { isOfTheMachine } from '../../domain/run/machine-trouble.ts'
import { bounded } from '../../domain/text/bounded.ts'
import { AppError } from '../../errors.ts'
import { checkoutIn } from '../../platform/git/checkout.ts'
import type { GitOwner } from '../../platform/git/git-owner.ts'
import { type OwnerGit, type OwnerParts, ownerGit } from '../../platform/git/owner-git.ts'
import { repositoryPrograms } from '../../platform/git/repository-programs.ts'
import { type Execution, whyNotEnded } from '../../platform/process/exec.ts'
import { chanceHex } from '../../platform/runtime/chance.ts'
import type { BringOrder, Brought } from '../../ports/landing-place.ts'
import { outputOf } from '../git.ts'
import { checkOutSubmodules } from '../worktree/submodules.ts'
import { said } from './said.ts'

/**
 * Builds the commit that shall become the tip of the target, in a work tree of its own with a private folder of git: nothing
 * of the user's checkout is touched, and no worktree is registered in the repository.
 */
export async function bring(
  order: BringOrder,
  { folder, owner }: { folder: string; owner: GitOwner },
  signal: AbortSignal,
): Promise<Brought> {
  const checkout = checkoutIn(order.repository)
  if (checkout === undefined)
    return { kind: 'waits', why: `the repository ${order.repository} does not exist any more` }
  const programs = await repositoryPrograms(checkout, owner)
  if (programs.fingerprint !== order.fingerprint) return { kind: 'programs-changed' }
  // A git that outlives a killed supervisor writes where nobody looks.
  const own = chanceHex(4)
  const path = join(folder, `tree-${own}`)
  const tree = { path, gitFolder: join(folder, `git-${own}`), at: order.tip }
  return await ownerGit({ checkout, programs, env: owner.env, tree, signal }, async (git, parts) => {
    const how = { git, parts, order }
    const [clash, notOut] = await Promise.all([foreseenConflict(how), checkOut(how, order.tip)])
    const failed = clash ?? notOut ?? (await STEPS[order.plan.how](how))
    if (failed !== undefined) return failed
    const ids = outputOf(await how.git(['rev-parse', 'HEAD', 'HEAD^{tree}', `${order.commit}^{tree}`]))
    const [commit, id, ofWork] = ids?.trim().split('\n') ?? []
    if (commit === undefined || id === undefined) throw new AppError('failed', `the commit built in ${path} is gone`)
    if (commit === order.tip) return { kind: 'nothing' }
    const built = { root: path, gitFolder: tree.gitFolder, commonFolder: tree.gitFolder }
    // Its agent may have fetched what the user's checkout does not have.
    await checkOutSubmodules({ sources: [checkout.root, order.worktree], own: built, place: path, owner })
    return { kind: 'built', commit, tree: id, path, unchanged: id === ofWork }
  })
}

interface How {
  readonly git: OwnerGit
  readonly parts: OwnerParts
  readonly order: BringOrder
}

type Failed = Extract<Brought, { kind: 'conflict' | 'refused' | 'waits' | 'nothing' }>

const STEPS: Record<BringOrder['plan']['how'], (how: How) => Promise<Failed | undefined>> = {
  'as-it-is': async (how) => await checkOut(how, how.order.commit),
  rebase: async (how) => {
    const { git, order } = how
    const { plan, tip, base, commit } = order
    if (plan.how !== 'rebase') return undefined
    const since = plan.since === 'base' ? base : tip
    const only = ['--no-autosquash', '--no-autostash', '--no-fork-point', '--no-update-refs']
    const run = await git(['rebase', ...only, '--onto', tip, since, commit])
    if (outputOf(run) === undefined) return await failure(how, run)
    if (!plan.squash) return undefined
    const reset = await git(['reset', '--quiet', '--soft', tip])
    return outputOf(reset) === undefined ? await failure(how, reset) : await commitAll(how)
  },
  squash: async (how) => {
    const run = await how.git(['merge', '--ff', '--squash', '--quiet', how.order.commit])
    return outputOf(run) === undefined ? await failure(how, run) : await commitAll(how)
  },
  merge: async (how) => {
    const { git, order } = how
    const message = messageOf(order, `Merge ${order.branch}: ${subject(order)}`)
    const run = await git(['merge', '--no-ff', '--quiet', '-m', message, order.commit])
    return outputOf(run) === undefined ? await failure(how, run) : undefined
  },
}

/** A hook that fails after a checkout does not undo it. */
async function checkOut({ git, parts }: How, commit: string): Promise<Failed | undefined> {
  const before = parts.failedHooks().length
  const run = await git(['checkout', '--quiet', '--force', '--detach', commit])
  const after = parts.failedHooks().slice(before)
  const isMade = outputOf(run) !== undefined || after.some(({ name }) => name === 'post-checkout')
  return isMade ? undefined : { kind: 'waits', why: trouble('its files cannot be written', run) }
}

async function commitAll(how: How): Promise<Failed | undefined> {
  const { git, order } = how
  const differs = await git(['diff', '--cached', '--quiet', '--no-ext-diff'])
  if (outputOf(differs) !== undefined) return { kind: 'nothing' }
  const run = await git(['commit', '--quiet', '-m', messageOf(order, subject(order))])
  return outputOf(run) === undefined ? await failure(how, run) : undefined
}

function subject({ title, task }: BringOrder): string {
  return (
    title
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, 72) || task
  )
}

/** One commit for all of a task's: the trailer says whose. */
function messageOf({ task }: BringOrder, first: string): string {
  return `${first}\n\nFleet-Task: ${task}\n`
}

/**
 * Conflicts that a merge would meet, found without writing a file. An older git cannot: then they are met in the work tree.
 * A rebase onto a target that lost the base of the work has other ones.
 */
async function foreseenConflict({ git, order }: How): Promise<Failed | undefined> {
  const { plan, tip, commit } = order
  if (plan.how === 'as-it-is' || (plan.how === 'rebase' && plan.since === 'base')) return undefined
  const run = await git(['merge-tree', '--write-tree', '--name-only', '-z', '--messages', tip, commit])
  if (run.kind !== 'ended' || run.code !== 1) return undefined
  // The tree, the names, an empty one, the messages: each with its paths, a kind and a text.
  const parts = run.out.toString('utf8').split('\0')
  const end = parts.indexOf('', 1)
  const output = parts.slice(end + 1).filter((part) => /^(CONFLICT|warning)/.test(part) && part.includes(':'))
  return conflict(parts.slice(1, end), output.join('\n'))
}

async function failure({ git, parts }: How, run: Execution): Promise<Failed> {
  const text = said(run)
  const waits = { kind: 'waits', why: trouble('git cannot bring it onto the target', run) } as const
  if (run.kind !== 'ended' || run.code === null || ofTheMachine(text)) return waits
  const unmerged = outputOf(await git(['diff', '--name-only', '--diff-filter=U', '-z', '--no-ext-diff']))
  const files = (unmerged ?? '').split('\0').filter((path) => path !== '')
  if (files.length > 0) return conflict(files, text)
  // Git alone refuses nothing for the sake of the work, and a hook that runs afterwards cannot.
  const hook = parts.failedHooks().findLast(({ name }) => !name.startsWith('post-'))
  return hook !== undefined && hook.code < NOT_RUN
    ? { kind: 'refused', by: `the hook ${hook.name}`, output: bounded(text, OUTPUT_CHARS) }
    : waits
}

/** The lowest status with which a shell says that a program cannot be run, or was ended by a signal. */
const NOT_RUN = 126
const OUTPUT_CHARS = 6000

function conflict(files: readonly string[], output: string): Failed {
  return { kind: 'conflict', files: [...new Set(files)].sort(), output: bounded(output.trim(), OUTPUT_CHARS) }
}

/** In git's words, which it prints in English. A hook says so only if it met the same. */
function ofTheMachine(text: string): boolean {
  return /No space left on device|Out of diskspace|Disk quota exceeded|Read-only file system|Cannot allocate memory|Unable to create '.*\.lock'|tell me who you are|empty ident name|failed to sign the data/i.test(
    text,
  )
}

function trouble(what: string, run: Execution): string {
  if (run.kind === 'not-started' && isOfTheMachine({ code: run.code, step: 'files', homeIsWritable: () => true })) {
    throw new AppError('failed', `git ${whyNotEnded(run)}`, { cause: { code: run.code } })
  }
  return `${what}: ${bounded(said(run), 1000)}`
}
