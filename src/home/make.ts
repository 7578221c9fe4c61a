import { createBeadsQueue, createLocalQueue, createSharedQueue, ownQueue, tryLocalQueue } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { template } from '../config/template.ts'
import { isPostgresUrl } from '../domain/queue/postgres-url.ts'
import { AppError } from '../errors.ts'
import { linkTarget, privateFile, writeFileAtomic } from '../platform/files/files.ts'
import { entryAt } from '../platform/files/folder.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { looseIn, tighten } from '../platform/files/permissions.ts'
import { chooseQueue } from './choose-queue.ts'

export interface MakeOptions {
  readonly repair: boolean
  /** `local`, `beads` or a postgres:// URL. */
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
  /** Files that other users can access; empty after a repair. */
  readonly loose: readonly string[]
}

/** Creates whatever a home is missing. Checks for all obstacles before it creates anything. */
export async function makeHome(home: Home, options: MakeOptions): Promise<Made> {
  const { config, text } = await survey(home)
  const fresh = entryAt(home.store) === undefined
  const configured = text === undefined ? undefined : config.queue
  const own = fresh ? undefined : ownQueue(home)
  const { queue, why } = await chooseQueue(home, { asked: options.queue, configured, own }, options.env)
  const place = isPostgresUrl(queue) ? await createSharedQueue(queue) : queue
  if (fresh || options.repair) privateDirectory(home.path)
  for (const folder of [home.tasks, home.logging, home.backups]) {
    if (options.repair || entryAt(folder) === undefined) privateDirectory(folder)
  }
  createLocalQueue(home)
  privateFile(home.wake)
  privateFile(home.queueLock)
  if (queue === 'beads') await createBeadsQueue(home, options.env)
  if (text === undefined) writeFileAtomic(linkTarget(home.config), template(queue))
  const loose = looseIn(home.path)
  if (options.repair) tighten(loose)
  return { config, queue: place, why, loose: options.repair ? [] : loose }
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

/** An empty store in place of a lost one would look intact, and hide that there is something to restore. */
function refuseToReplace(home: Home): void {
  const wayBack = home.lostStore()
  if (wayBack === undefined) return
  const what = entryAt(home.store) === undefined ? 'is missing' : 'is empty'
  throw new AppError('conflict', `${home.store} ${what}, but this home had tasks`, {
    hint: `nothing was changed; ${wayBack}`,
  })
}
