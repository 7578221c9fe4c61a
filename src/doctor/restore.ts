import { basename, join } from 'node:path'
import { examineLocalStore, openLocalQueue } from '../app.ts'
import { isTaskId } from '../domain/task/id.ts'
import { AppError } from '../errors.ts'
import { namesIn } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { isGone } from '../platform/files/walk.ts'
import { exclusively } from '../platform/sqlite/exclusively.ts'
import { acquireSupervisorLock, type Holder } from '../platform/sqlite/supervisor-lock.ts'
import { timeOf } from '../store/backup.ts'
import { type Restored, restore } from '../store/restore.ts'
import { version } from '../version.ts'
import { newestGood } from './store.ts'

export interface Restoration extends Restored {
  readonly store: string
  readonly backup: string
  /** The time of the backup; undefined: its name has none. */
  readonly at: string | undefined
  readonly tasks: number
  /** Tasks with a file under tasks/ that are not in the backup: they are newer. */
  readonly missing: readonly string[]
}

/** Replaces only a store that is unusable or has no tasks, and only by a usable backup. */
export async function restoreStore(home: Home, named: string | undefined): Promise<Restoration> {
  home.requireWritable()
  // A running supervisor would go on with the old files, and start tasks that the backup has not heard of a second time.
  const acquired = acquireSupervisorLock(home, { version, now: Date.now() })
  if (acquired.kind === 'taken') throw supervised(home, acquired.holder)
  using _lock = acquired.lock
  return await exclusively(home.lock, async () => {
    const before = examineLocalStore(home.store)
    if (before.kind === 'good' && before.tasks > 0)
      throw new AppError('conflict', `${home.store} is whole: there is nothing to restore`, {
        hint: 'nothing was changed',
      })
    if (before.kind === 'newer') {
      throw new AppError('queue', `${home.store} was made by a newer fleet: store version ${before.version}`, {
        hint: 'update fleet; nothing was changed',
      })
    }
    if (before.kind === 'unreadable')
      throw new AppError('queue', before.what, { hint: 'nothing was changed; check the permissions' })
    const backup = named === undefined ? newest(home) : chosen(home, named)
    const { aside } = restore(backup, home.store, Date.now())
    const after = examineLocalStore(home.store)
    if (after.kind !== 'good')
      throw new AppError('queue', `${home.store} is still not usable after restoring ${backup}`, {
        hint: 'check the disk',
      })
    const at = timeOf(basename(backup))
    return {
      store: home.store,
      backup,
      at: at === undefined ? undefined : new Date(at).toISOString(),
      tasks: after.tasks,
      missing: await missingFrom(home),
      aside,
    }
  })
}

function supervised(home: Home, { proc }: Holder): AppError {
  const who = proc === null ? '' : ` (pid ${proc.pid})`
  return new AppError('conflict', `a supervisor is running on ${home.path}${who}, so its store cannot be replaced`, {
    hint: 'nothing was changed; end it first: fleet run stop, or wait until it has noticed that its store is lost',
  })
}

async function missingFrom(home: Home): Promise<string[]> {
  await using store = openLocalQueue(home, { readOnly: true })
  const missing: string[] = []
  for (const id of namesIn(home.tasks).sort()) {
    // Of a deleted task only files that an agent wrote may remain.
    if (!isTaskId(id) || isGone(join(home.task(id), 'task.json'))) continue
    if ((await store.get(id)) === undefined) missing.push(id)
  }
  return missing
}

function newest(home: Home): string {
  const backup = newestGood(home.backups)
  if (backup !== undefined) return backup.path
  throw new AppError('not-found', `there is no good backup in ${home.backups}`, {
    hint: 'nothing was changed; sqlite3 .recover may save some of it',
  })
}

function chosen(home: Home, named: string): string {
  const path = named.includes('/') ? named : join(home.backups, named)
  const health = examineLocalStore(path)
  if (health.kind === 'good') return path
  if (health.kind === 'missing')
    throw new AppError('not-found', `there is no backup ${path}`, {
      hint: 'nothing was changed; fleet doctor names the newest good one',
    })
  throw new AppError('queue', `${path} is not a usable backup (${health.kind})`, {
    hint: 'nothing was changed; fleet doctor names the newest good one',
  })
}
