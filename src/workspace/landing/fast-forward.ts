import { bounded } from '../../domain/text/bounded.ts'
import { realPathOf } from '../../platform/files/same-folder.ts'
import { branchOf, type Checkout } from '../../platform/git/checkout.ts'
import { IndexLock, lockState } from '../../platform/git/index-lock.ts'
import { type OwnerGit, type OwnerParts, ownerGit } from '../../platform/git/owner-git.ts'
import type { RepositoryPrograms } from '../../platform/git/repository-programs.ts'
import type { Execution } from '../../platform/process/exec.ts'
import { inTurn } from '../../platform/runtime/in-turn.ts'
import { freeDisk } from '../../platform/runtime/machine.ts'
import type { Moved, MoveOrder } from '../../ports/landing-place.ts'
import { outputOf } from '../git.ts'
import { lockHint, lockLeft } from './lock-hint.ts'
import { isOnTarget } from './look.ts'
import { mendCheckout } from './mend-checkout.ts'
import { said } from './said.ts'
import { tipOf } from './tip.ts'

export interface Place {
  /** The checkout that has the target checked out. */
  readonly checkout: Checkout
  readonly programs: RepositoryPrograms
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

/**
 * Fast-forwards a checkout with git's own merge, which writes over no change of a person. fleet holds the lock of the index
 * meanwhile, so nobody switches the branch, and what a kill or a full disk leaves half done is put in order before anything
 * else happens there.
 */
export async function fastForward(order: MoveOrder, place: Place): Promise<Moved> {
  return await inTurn(nameOf(place), async () => {
    const inTheWay = await mendNow(order.target, place)
    if (inTheWay !== undefined) return waits(inTheWay)
    const lock = IndexLock.take(place.checkout, order)
    if (lock === undefined) return waits(`another git is at work in ${place.checkout.root}`)
    return await forward(order, { ...place, lock })
  })
}

/** Puts in order what a fast-forward of a supervisor that was killed left. Returns why that is not possible now. */
export async function mendLeft(target: string, place: Place): Promise<string | undefined> {
  return await inTurn(nameOf(place), () => mendNow(target, place))
}

/** A lock of this process itself counts as left: so one at a time. */
function nameOf({ checkout: { gitFolder } }: Place): string {
  return realPathOf(gitFolder) ?? gitFolder
}

/** Whether there is something to put in order, or to wait for. */
export function isLocked(checkout: Checkout): boolean {
  return ['held', 'left'].includes(lockState(checkout).kind)
}

async function mendNow(target: string, place: Place): Promise<string | undefined> {
  const { checkout } = place
  const state = lockState(checkout)
  const { root } = checkout
  switch (state.kind) {
    case 'free':
      return undefined
    case 'foreign':
      return `git cannot fast-forward ${target} in ${root}: ${lockLeft(state.path)}`
    case 'held': {
      const { host } = state.mark
      return `a fleet on ${host} is updating ${root}; if none is running there, remove ${state.path}`
    }
    case 'left': {
      const why = await mendCheckout({ ...place, lock: IndexLock.takeOver(checkout, state.mark) })
      return why === undefined ? undefined : brokeOff(state.mark.target, root, why)
    }
  }
}

interface Held extends Place {
  readonly lock: IndexLock
}

async function forward(order: MoveOrder, held: Held): Promise<Moved> {
  const { lock, checkout } = held
  const { target } = order
  let run: Execution
  try {
    const done = await ownerGit(held, (git, parts) => merge(order, held, { git, parts }))
    if (done.kind !== 'broken') return done
    run = done.run
  } finally {
    // Until it was clear, no file was changed. Afterwards it is released when all is in order.
    if (!lock.mark.isClear) lock.release()
  }
  const text = bounded(withRoom(said(run), checkout.root), 1000)
  // Also where git was ended on purpose.
  const why = await mendCheckout({ ...held, signal: undefined })
  if (why !== undefined) return waits(brokeOff(target, checkout.root, `${text}; ${why}`))
  const hasMoved = await isOnTarget(checkout, target, order.to)
  return hasMoved
    ? { kind: 'moved' }
    : waits(`git cannot fast-forward ${target} in ${checkout.root}: ${lockHint(text)}`)
}

type Merged = Moved | { readonly kind: 'broken'; readonly run: Execution }

async function merge(
  { target, from, to }: MoveOrder,
  { lock, checkout }: Held,
  { git, parts }: { git: OwnerGit; parts: OwnerParts },
): Promise<Merged> {
  const index = lock.copy
  // It cannot be switched any more.
  if (branchOf(checkout) !== target) return { kind: 'lost-race' }
  lock.copyIndex()
  const [tip, isClear] = await Promise.all([tipOf(git, checkout, target), mayUpdate(git, { index, from, to })])
  if (tip !== from) return { kind: 'lost-race' }
  if (isClear) lock.note({ isClear })
  const argv = ['merge', '--ff-only', '--quiet', '--no-autostash', '--no-overwrite-ignore', to]
  const run = await git([...parts.withoutLateHooks, ...argv], { index, started: (pid) => lock.noteGit(pid) })
  if (outputOf(run) !== undefined) {
    lock.publish()
    await parts.hook('post-merge', ['0'])
    return { kind: 'moved' }
  }
  const text = said(run)
  const files = text.split('\n').filter((line) => line.startsWith('\t'))
  const hasRefused = files.length > 0 || /not possible to fast-forward/i.test(text)
  if (!hasRefused) return { kind: 'broken', run }
  lock.release()
  return files.length > 0 ? waits(overwrites(target, checkout.root, files)) : { kind: 'lost-race' }
}

/** Whether git would begin: it looks at all files before it changes one. Times that differ alone count as changes at first. */
async function mayUpdate(
  git: OwnerGit,
  { index, from, to }: { index: string; from: string; to: string },
): Promise<boolean> {
  const tried = (): Promise<Execution> => git(['read-tree', '-n', '-m', '-u', from, to], { index })
  if (outputOf(await tried()) !== undefined) return true
  await git(['update-index', '-q', '--refresh'], { index })
  return outputOf(await tried()) !== undefined
}

const MOST_NAMED = 5

function overwrites(target: string, root: string, files: readonly string[]): string {
  const named = files.slice(0, MOST_NAMED).map((line) => line.trim())
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : ''
  return `${target} is checked out in ${root} with changes that the landing would overwrite: ${named.join(', ')}${more}; commit, stash or remove them there`
}

/** Git does not say why it cannot write a file. */
function withRoom(text: string, root: string): string {
  const isFull = /unable to (write|create)/.test(text) && freeDisk(root) < LITTLE_ROOM
  return isFull ? `${text}\nthe disk is nearly full there` : text
}

const LITTLE_ROOM = 100 << 20

function brokeOff(target: string, root: string, why: string): string {
  return `an update of ${target} in ${root} broke off, and its files cannot be put in order yet: ${why}`
}

function waits(why: string): Extract<Moved, { kind: 'waits' }> {
  return { kind: 'waits', why }
}
