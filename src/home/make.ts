import { createBeadsQueue, createLocalQueue, queueKind, tryLocalQueue } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { template } from '../config/template.ts'
import { AppError } from '../errors.ts'
import { linkTarget, privateFile, writeFileAtomic } from '../platform/files.ts'
import { entryAt } from '../platform/folder.ts'
import { type Home, privateDirectory } from '../platform/home.ts'
import { looseIn, tighten } from '../platform/permissions.ts'

export interface MakeOptions {
  readonly repair: boolean
  /** Where the tasks are to be kept, for a home that does not know yet. */
  readonly queue?: 'local' | 'beads'
  /** To find bd. */
  readonly env?: NodeJS.ProcessEnv
}

export interface Made {
  readonly config: Config
  readonly queue: 'local' | 'beads'
  /** There was a runtime.toml already, and it was left as it is. */
  readonly configured: boolean
  /** What others may still touch; repaired when asked to. */
  readonly loose: readonly string[]
}

/** Everything a home needs, made where it is missing. Whatever stands in the way is found before anything is made. */
export async function makeHome(home: Home, options: MakeOptions): Promise<Made> {
  const { config, text } = await survey(home)
  const fresh = entryAt(home.store) === undefined
  const queue = queueOf(home, { given: text === undefined ? undefined : config.queue, wanted: options.queue, fresh })
  if (fresh || options.repair) privateDirectory(home.path)
  for (const folder of [home.tasks, home.logging, home.backups]) {
    if (options.repair || entryAt(folder) === undefined) privateDirectory(folder)
  }
  createLocalQueue(home)
  privateFile(home.wake)
  if (queue === 'beads') await createBeadsQueue(home, options.env ?? {})
  if (text === undefined) writeFileAtomic(linkTarget(home.config), template({ queue }))
  const loose = looseIn(home.path)
  if (options.repair) tighten(loose)
  return { config, queue, configured: text !== undefined, loose: options.repair ? [] : loose }
}

/** A home keeps the queue that it has; only one without tasks may still become a beads home. */
function queueOf(home: Home, { given, wanted, fresh }: QueueWish): Made['queue'] {
  const has = fresh ? undefined : queueKind(home)
  const queue = has === 'beads' ? has : (wanted ?? has ?? 'local')
  if (given !== undefined && given !== queue) throw otherQueue(`${home.config} says ${named(given)}`, home, queue)
  if (wanted !== undefined && wanted !== queue) throw otherQueue(`--queue is ${wanted}`, home, queue)
  return queue
}

interface QueueWish {
  /** What runtime.toml says, where there is one. */
  readonly given: string | undefined
  readonly wanted: Made['queue'] | undefined
  readonly fresh: boolean
}

function otherQueue(what: string, { path }: Home, queue: string): AppError {
  return new AppError('conflict', `${what}, but the queue of ${path} is ${queue}`, {
    hint: 'nothing was changed; a home keeps the queue it was made with',
  })
}

/** A URL may hold a password. */
function named(queue: string): string {
  return queue.includes(':') ? 'postgres' : queue
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

/** An empty store in the place of a lost one would look whole, and hide that there is something to restore. */
function refuseToReplace(home: Home): void {
  const wayBack = home.lostStore()
  if (wayBack === undefined) return
  const what = entryAt(home.store) === undefined ? 'is missing' : 'is empty'
  throw new AppError('conflict', `${home.store} ${what}, but this home had tasks`, {
    hint: `nothing was changed; ${wayBack}`,
  })
}
