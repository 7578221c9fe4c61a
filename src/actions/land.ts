import { type HomeStore, openHomeStore } from '../app.ts'
import { lookedAt } from '../config/in-force.ts'
import { type Landing, NEEDS_LANDING } from '../domain/landing/landing.ts'
import { afterLook, differenceText } from '../domain/landing/trust.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import { checkoutIn } from '../platform/git/checkout.ts'
import { repositoryPrograms } from '../platform/git/repository-programs.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { userConfigInForce } from '../store/user-git.ts'
import { findTasks } from '../views/find-task.ts'
import { lastAttempt } from '../views/review/reviews.ts'
import type { ActionContext } from './action-context.ts'

export interface Asked {
  readonly tasks: readonly string[]
  /** false: they land when one is started. */
  readonly isSupervised: boolean
}

/**
 * Lets the work of tasks land, also where `land = manual`, and tries at once what had to wait. `trust`: hooks, filters and
 * configuration of its repository may run as they are now. Throws if one of the tasks does not wait to land; then nothing
 * was changed.
 */
export async function landTasks(
  { home, by }: ActionContext,
  texts: readonly string[],
  { trust }: { readonly trust: boolean },
): Promise<Asked> {
  await using store = await openHomeStore(home)
  const tasks = await findTasks(store.queue, texts)
  for (const { id, labels } of tasks) if (labels.includes(NEEDS_LANDING)) await requireHere(store, id)
  const landings = tasks.map(({ id }) => waitingLanding(store, id))
  for (const { repository } of trust ? landings : []) await trustPrograms(home, store, repository)
  store.ledger.together(() => {
    for (const { task } of landings) approve(store, waitingLanding(store, task), by)
  })
  return { tasks: landings.map(({ task }) => task), isSupervised: supervisorAlive(home) !== undefined }
}

/** Hooks, filters and configuration of its repository may run as they are now, and its work lands. */
export async function letProgramsRun(
  { home, store, by }: { home: Home; store: HomeStore; by: string },
  task: string,
): Promise<void> {
  await trustPrograms(home, store, waitingLanding(store, task).repository)
  store.ledger.together(() => approve(store, waitingLanding(store, task), by))
}

async function requireHere(store: HomeStore, task: string): Promise<void> {
  const { machine } = await lastAttempt(store, task)
  if (machine === undefined) return
  throw new AppError('conflict', `${task} waits to land on ${machine}, where its agent ran`, {
    hint: `fleet land ${task} on that machine`,
  })
}

/** It is over, decided, or not accepted yet. */
const LANDS_NOT: ReadonlySet<Landing['state']['at']> = new Set(['over', 'settling', 'accepting'])

function waitingLanding({ ledger }: HomeStore, task: string): Landing {
  const landing = ledger.landings.of(task)
  if (landing !== undefined && !LANDS_NOT.has(landing.state.at)) return landing
  throw new AppError('conflict', `${task} does not wait to land`, {
    hint: `fleet land lists what does; fleet show ${task} says how it stands`,
  })
}

/** The next look tries it. */
function approve({ ledger }: HomeStore, landing: Landing, by: string): void {
  const { waits: _over, ...state } = { waits: undefined, ...landing.state }
  ledger.landings.save({ ...landing, approvedBy: landing.approvedBy ?? by, state })
}

async function trustPrograms(home: Home, { ledger, record }: HomeStore, repository: string): Promise<void> {
  const checkout = checkoutIn(repository)
  if (checkout === undefined) {
    throw new AppError('failed', `the repository ${repository} does not exist any more`, {
      hint: 'move it back to where it was',
    })
  }
  const config = () => userConfigInForce(process.env, (path) => lookedAt(home, path, record))
  const { fingerprint, parts } = await repositoryPrograms(checkout, { config })
  const looked = ledger.together(() => {
    const after = afterLook(ledger.landings.trusted(repository), { fingerprint, parts })
    ledger.landings.trust(repository, after)
    return after
  })
  if (looked.found === null) return
  const what = differenceText(looked, looked.found)
  throw new AppError(
    'conflict',
    `hooks, filters or configuration of ${repository} have changed since fleet told of them`,
    {
      hint: `look at them${what === '' ? '' : ` (${what})`}, then say it again`,
    },
  )
}
