import { createLocalQueue, createQueue, ownQueue, tryLocalQueue } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { template } from '../config/template.ts'
import { AppError } from '../errors.ts'
import { linkTarget, privateFile, writeFileAtomic } from '../platform/files/files.ts'
import { entryAt } from '../platform/files/folder.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { looseIn, tighten } from '../platform/files/permissions.ts'
import { queueKindOf } from '../queues/registry.ts'
import { chooseQueue } from './choose-queue.ts'

export interface MakeOptions {
  readonly repair: boolean
  /** Where to keep the tasks: `local`, `beads` or a postgres:// URL. */
  readonly queue?: string
  /** Its PATH is searched for bd. */
  readonly env: NodeJS.ProcessEnv
}

export interface Made {
  readonly config: Config
  /** `local`, `beads`, or the server's URL without its password. */
  readonly queue: string
  /** The reason for this queue. */
  readonly why: string
  /** Files that others may read; none after a repair. */
  readonly loose: readonly string[]
}

/** Makes everything a home lacks. Obstacles are found before anything is made. */
export async function makeHome(home: Home, options: MakeOptions): Promise<Made> {
  const { config, text } = await survey(home)
  const fresh = entryAt(home.store) === undefined
  const configured = text === undefined ? undefined : config.queue
  const own = fresh ? undefined : ownQueue(home).name
  const { queue, why } = await chooseQueue(home, { asked: options.queue, configured, own }, options.env)
  const isOnServer = queueKindOf(queue)?.at === 'server'
  // A server that cannot be reached is found out before anything is made.
  const location = isOnServer ? await createQueue(home, { setting: queue, env: options.env }) : queue
  if (fresh || options.repair) privateDirectory(home.path)
  for (const folder of [home.tasks, home.logging, home.backups]) {
    if (options.repair || entryAt(folder) === undefined) privateDirectory(folder)
  }
  createLocalQueue(home)
  privateFile(home.wake)
  privateFile(home.queueLock)
  if (!isOnServer) await createQueue(home, { setting: queue, env: options.env })
  if (text === undefined) writeFileAtomic(linkTarget(home.config), template(queue))
  const loose = looseIn(home.path)
  if (options.repair) tighten(loose)
  return { config, queue: location, why, loose: options.repair ? [] : loose }
}

async function survey(home: Home) {
  if (entryAt(home.path) !== undefined) home.requireWritable()
  for (const folder of [home.tasks, home.logging, home.backups]) {
    if (entryAt(folder)?.kind === 'file') {
      throw new AppError('failed', `${folder} is a file, not a directory`, {
        hint: 'nothing was changed; move it away and run it again',
      })
    }
  }
  const store = entryAt(home.store)
  if (store !== undefined) home.require()
  if (store !== undefined && store.size > 0) tryLocalQueue(home)
  else refuseToReplace(home)
  return await loadConfig(home.config)
}

/** An empty store in the place of a lost one would look intact, and hide that there is a backup to restore. */
function refuseToReplace(home: Home): void {
  const wayBack = home.lostStore()
  if (wayBack === undefined) return
  const what = entryAt(home.store) === undefined ? 'is missing' : 'is empty'
  throw new AppError('conflict', `${home.store} ${what}, but this home had tasks`, {
    hint: `nothing was changed; ${wayBack}`,
  })
}
