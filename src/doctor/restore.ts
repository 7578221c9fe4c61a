import { join } from 'node:path'
import { examineLocalStore } from '../app.ts'
import { AppError } from '../errors.ts'
import type { Home } from '../platform/home.ts'
import { exclusively } from '../platform/lock.ts'
import { type Restored, restore } from '../store/restore.ts'
import { newestGood } from './store.ts'

export interface Restoration extends Restored {
  readonly store: string
  readonly backup: string
  readonly tasks: number
}

/** Only a store that cannot be used is replaced, and only by a backup that can. */
export async function restoreStore(home: Home, named: string | undefined): Promise<Restoration> {
  home.requireWritable()
  return await exclusively(home.lock, async () => {
    const before = examineLocalStore(home.store)
    if (before.kind === 'good')
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
    return { store: home.store, backup, tasks: after.tasks, aside }
  })
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
