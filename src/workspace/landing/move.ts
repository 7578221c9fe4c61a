import { bounded } from '../../domain/text/bounded.ts'
import { type Checkout, checkoutIn } from '../../platform/git/checkout.ts'
import type { ConfigOwner, GitOwner } from '../../platform/git/git-owner.ts'
import { type OwnerGitPlace, ownerGit } from '../../platform/git/owner-git.ts'
import { type RepositoryPrograms, repositoryPrograms } from '../../platform/git/repository-programs.ts'
import type { Moved, MoveOrder, Pushed, Resumed } from '../../ports/landing-place.ts'
import { outputOf } from '../git.ts'
import { checkouts, checkoutsOf } from './checkouts.ts'
import { fastForward, isLocked, mendLeft } from './fast-forward.ts'
import { lockHint } from './lock-hint.ts'
import { exists, isIn, isOnTarget } from './look.ts'
import { said } from './said.ts'

/**
 * Moves the target from the commit that the new one was built on. A checkout that has the target checked out is
 * fast-forwarded by git's own merge, which writes over no change of a person.
 */
export async function moveTarget(order: MoveOrder, owner: GitOwner, signal?: AbortSignal): Promise<Moved> {
  const opened = await open(order, owner)
  if ('kind' in opened) return opened
  const { checkout, programs } = opened
  const { env } = owner
  const [first, second] = checkoutsOf(checkout, order.target)
  if (first === undefined) return await moveRef(order, { ...opened, env, signal })
  const { root } = first.checkout
  if (first.rebases) return waits(`a rebase of ${order.target} is under way in ${root}`)
  if (second !== undefined) return waits(`${order.target} is checked out in both ${root} and ${second.checkout.root}`)
  return await fastForward(order, { checkout: first.checkout, programs, env, signal })
}

/** How far an earlier move got. A checkout that it left half updated is put in order first. */
export async function resumeMove(order: MoveOrder, owner: GitOwner, signal?: AbortSignal): Promise<Resumed> {
  const checkout = checkoutIn(order.repository)
  if (checkout === undefined) return { kind: 'not-moved' }
  const locked = checkouts(checkout).find(isLocked)
  if (locked !== undefined) {
    const opened = await open(order, owner)
    if ('kind' in opened) return opened
    const { programs } = opened
    const why = await mendLeft(order.target, { checkout: locked, programs, env: owner.env, signal })
    if (why !== undefined) return waits(why)
  }
  if (await isOnTarget(checkout, order.target, order.to)) return { kind: 'moved' }
  return { kind: (await exists(checkout, order.to)) ? 'not-moved' : 'gone' }
}

interface Opened {
  readonly checkout: Checkout
  readonly programs: RepositoryPrograms
}

async function open(
  { repository, fingerprint }: Pick<MoveOrder, 'repository' | 'fingerprint'>,
  owner: ConfigOwner,
): Promise<Opened | Extract<Moved, { kind: 'waits' | 'programs-changed' }>> {
  const checkout = checkoutIn(repository)
  if (checkout === undefined) return { kind: 'waits', why: `the repository ${repository} does not exist any more` }
  const programs = await repositoryPrograms(checkout, owner)
  return programs.fingerprint === fingerprint ? { checkout, programs } : { kind: 'programs-changed' }
}

async function moveRef({ target, task, from, to }: MoveOrder, place: OwnerGitPlace): Promise<Moved> {
  // As a fast-forward of a checkout would find out, too.
  if (!(await isIn(place.checkout, from, to))) return { kind: 'lost-race' }
  const run = await ownerGit(place, (git) =>
    git(['update-ref', '-m', `fleet: land ${task}`, `refs/heads/${target}`, to, from]),
  )
  if (outputOf(run) !== undefined) return { kind: 'moved' }
  const text = said(run)
  if (/is at [0-9a-f]+ but expected|unable to resolve reference|reference is missing/.test(text))
    return { kind: 'lost-race' }
  return waits(`git cannot move ${target}: ${lockHint(text)}`)
}

/** Without force: a remote that has moved on refuses, and a person brings the two together. */
export async function pushTarget(
  order: Pick<MoveOrder, 'task' | 'repository' | 'target' | 'fingerprint'>,
  owner: GitOwner,
  signal?: AbortSignal,
): Promise<Pushed> {
  const opened = await open(order, owner)
  if ('kind' in opened) return opened
  const { target } = order
  const { checkout, programs } = opened
  const remote = pushRemoteOf(target, programs)
  if (!isRemote(remote, programs)) {
    return waits(
      `${target} is to be pushed to ${remote}, which is no remote of ${checkout.root}: see git remote -v there`,
    )
  }
  const ref = `refs/heads/${target}`
  // Without the secrets of the user it may reach no remote.
  const env = { ...owner.env, ...process.env }
  const run = await ownerGit({ checkout, programs, env, signal }, (git) =>
    git(['push', '--quiet', '--no-recurse-submodules', '--', remote, `${ref}:${ref}`]),
  )
  if (outputOf(run) !== undefined) return { kind: 'pushed' }
  return waits(`git cannot push ${target} to ${remote}: ${bounded(said(run), 1000)}`)
}

/** As git chooses it. */
function pushRemoteOf(target: string, { settings, upstreams }: RepositoryPrograms): string {
  const all = new Map([...settings, ...upstreams])
  const keys = [`branch.${target}.pushremote`, 'remote.pushdefault', `branch.${target}.remote`]
  return keys.map((key) => all.get(key)).find((value) => value !== undefined && value !== '') ?? 'origin'
}

/** The fingerprint covers the remotes. Git would also push to any address that a branch names. */
function isRemote(name: string, { settings }: RepositoryPrograms): boolean {
  const keys = [`remote.${name}.url`, `remote.${name}.pushurl`]
  return !name.startsWith('-') && settings.some(([key]) => keys.includes(key))
}

function waits(why: string): Extract<Moved, { kind: 'waits' }> {
  return { kind: 'waits', why }
}
