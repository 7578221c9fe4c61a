import { createLocalQueue, createQueue, ownQueue, tryLocalQueue } from '../app.ts'
import { editConfig } from '../config/edit.ts'
import { configTextInForce } from '../config/in-force.ts'
import { loadConfig, parseToml } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { template } from '../config/template.ts'
import { AppError } from '../errors.ts'
import { linkTarget, privateFile, writeFileAtomic } from '../platform/files/files.ts'
import { entryAt, remove } from '../platform/files/folder.ts'
import { type Home, privateDirectory } from '../platform/files/home.ts'
import { looseIn, tighten } from '../platform/files/permissions.ts'
import { supervisorAlive } from '../platform/sqlite/supervisor-lock.ts'
import { queueKindOf } from '../queues/registry.ts'
import { findBd } from './bd.ts'
import { chooseQueue } from './choose-queue.ts'
import { type TakenOver, takeOver } from './take-over.ts'
import { hasBackup, hasStore, type UntakenBeads, untakenBeads } from './untaken-beads.ts'

export interface MakeOptions {
  readonly repair: boolean
  /** Where to keep the tasks: `local`, `beads` or a postgres:// URL. */
  readonly queue?: string
  /** Its PATH is searched for bd. */
  readonly env: NodeJS.ProcessEnv
}

export interface Made {
  /** The tasks that were there before this fleet; undefined: none. */
  readonly takenOver: TakenOver | undefined
  /** The queue that was asked for, and to which the tasks have to be moved first. */
  readonly moveTo: string | undefined
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
  const obstacle = obstacleIn(home)
  if (obstacle !== undefined) throw obstacle
  const configured = await configuredQueue(home)
  const untaken = untakenBeads(home, configured)
  // bd's database alone, and asked for: then it is simply the queue.
  const isQueue = untaken === 'found' && options.queue === 'beads'
  if (untaken !== undefined && !isQueue) return await takeIn(home, untaken, options)
  const { config, text } = await survey(home, { mayBeLost: !isQueue })
  const fresh = entryAt(home.store) === undefined
  const own = fresh ? undefined : ownQueue(home).name
  const { queue, why } = await chooseQueue(home, { asked: options.queue, configured, own }, options.env)
  const isOnServer = queueKindOf(queue)?.at === 'server'
  // A server that cannot be reached is found out before anything is made.
  const location = isOnServer ? await createQueue(home, { setting: queue, env: options.env }) : queue
  makeFolders(home, { repair: options.repair, fresh })
  if (!isOnServer) await createQueue(home, { setting: queue, env: options.env })
  if (text === undefined) writeFileAtomic(linkTarget(home.config), template(queue))
  else if (fresh && configured === undefined) await recordQueue(home, queue)
  return { config, queue: location, why, loose: looseAfter(home, options), takenOver: undefined, moveTo: undefined }
}

/** A home whose tasks are in bd's database, but not in the store: the Python fleet's, or one that lost its store. */
async function takeIn(home: Home, from: UntakenBeads, { repair, queue: asked, env }: MakeOptions): Promise<Made> {
  if (!hasStore(home) && hasBackup(home) && !repair) refuseToReplace(home)
  if (from === 'beside' && asked === undefined) {
    throw new AppError('conflict', `${home.path} has a queue of its own without a task, beside ${home.beads}`, {
      hint: `nothing was changed; fleet init --queue beads uses the tasks in ${home.beads}; to go on without them, move that folder away`,
    })
  }
  const bd = await findBd(env)
  if (bd.kind !== 'usable') {
    const why =
      bd.kind === 'none'
        ? 'there is no bd on PATH'
        : `${bd.path} cannot be used${bd.kind === 'refused' ? `: it ${bd.why}` : ''}`
    throw new AppError('queue', `the tasks of ${home.path} are in ${home.beads}, and ${why}`, {
      hint: 'nothing was changed; install bd (npm install -g @beads/bd), then run it again',
    })
  }
  beginTakeOver(home)
  makeFolders(home, { repair, fresh: true })
  await createQueue(home, { setting: 'beads', env })
  const takenOver = await takeOver(home, from, env)
  if (entryAt(home.config) === undefined) writeFileAtomic(linkTarget(home.config), template('beads'))
  else await recordQueue(home, 'beads')
  const { config } = await loadConfig(home.config)
  remove(home.takingOver)
  const moveTo = asked === undefined || asked === 'beads' ? undefined : asked
  return { config, queue: 'beads', why: WHY[from], loose: looseAfter(home, { repair }), takenOver, moveTo }
}

/** No supervisor may start once the mark is there, so one that holds the lock after that is the only one to ask for. */
function beginTakeOver(home: Home): void {
  const isContinued = entryAt(home.takingOver) !== undefined
  privateFile(home.takingOver)
  if (supervisorAlive(home) === undefined) return
  if (!isContinued) remove(home.takingOver)
  throw new AppError('conflict', `a supervisor is running on ${home.path}`, {
    hint: 'nothing was changed; fleet run stop ends it, then run fleet init again',
  })
}

const WHY: Readonly<Record<UntakenBeads, string>> = {
  python: "as the Python fleet's",
  lost: 'read again from bd',
  beside: 'as asked',
  found: 'its database was there',
}

function makeFolders(home: Home, { repair, fresh }: { repair: boolean; fresh: boolean }): void {
  if (fresh || repair) privateDirectory(home.path)
  for (const folder of [home.tasks, home.logging, home.backups]) {
    if (repair || entryAt(folder) === undefined) privateDirectory(folder)
  }
  createLocalQueue(home)
  privateFile(home.wake)
  privateFile(home.queueLock)
}

function looseAfter(home: Home, { repair }: { repair: boolean }): readonly string[] {
  const loose = looseIn(home.path)
  if (repair) tighten(loose)
  return repair ? [] : loose
}

/** The queue that runtime.toml names; undefined: there is no file, or it names none. */
async function configuredQueue(home: Home): Promise<string | undefined> {
  const { queue } = await parseToml(configTextInForce(home.config) ?? '', home.config)
  return typeof queue === 'string' ? queue : undefined
}

/** Another version must not choose again. */
async function recordQueue(home: Home, queue: string): Promise<void> {
  const own = ownQueue(home).name
  await editConfig(home, [`queue=${queue}`], { own })
}

function obstacleIn(home: Home): AppError | undefined {
  if (entryAt(home.path) !== undefined) home.requireWritable()
  for (const folder of [home.tasks, home.logging, home.backups]) {
    if (entryAt(folder)?.kind !== 'file') continue
    return new AppError('failed', `${folder} is a file, not a directory`, {
      hint: 'nothing was changed; move it away and run it again',
    })
  }
  return undefined
}

async function survey(home: Home, { mayBeLost }: { mayBeLost: boolean }) {
  const store = entryAt(home.store)
  if (store !== undefined) home.require()
  if (store !== undefined && store.size > 0) tryLocalQueue(home)
  else if (mayBeLost) refuseToReplace(home)
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
