import { examineLocalStore } from '../app.ts'
import { entryAt } from '../platform/files/folder.ts'
import type { Home } from '../platform/files/home.ts'
import { canWrite } from '../platform/files/permissions.ts'
import type { StoreHealth } from '../ports/store-health.ts'
import { type Backup, backupsIn, STALE_BACKUP_MS } from '../store/backup.ts'
import type { Check } from './check.ts'

export interface GoodBackup extends Backup {
  readonly tasks: number
}

/** The newest intact backup. */
export function newestGood(folder: string): GoodBackup | undefined {
  for (const backup of backupsIn(folder)) {
    const health = examineLocalStore(backup.path)
    if (health.kind === 'good') return { ...backup, tasks: health.tasks }
  }
  return undefined
}

export function checkStore(home: Home, health: StoreHealth): Check {
  const name = 'store'
  switch (health.kind) {
    case 'good':
      return (
        replaced(home, health) ?? {
          name,
          state: 'ok',
          found: `${home.store}: whole, ${health.tasks} ${health.tasks === 1 ? 'task' : 'tasks'}, version ${health.version}`,
        }
      )
    case 'newer':
      return {
        name,
        state: 'fail',
        found: `${home.store} was made by a newer fleet: store version ${health.version}, this fleet knows ${health.known}`,
        todo: 'update fleet',
      }
    case 'unreadable':
      return { name, state: 'fail', found: health.what, todo: 'check the permissions of the file and its folder' }
    case 'missing':
      return {
        name,
        state: 'fail',
        found: `${home.store} is not there`,
        todo: wayBack(home) ?? home.lostStore() ?? 'fleet init',
      }
    case 'directory':
      return {
        name,
        state: 'fail',
        found: `${home.store} is a directory, not a store`,
        todo: wayBack(home) ?? 'move it away, then run fleet init',
      }
    case 'foreign':
      return {
        name,
        state: 'fail',
        found: `${home.store} is not a fleet store`,
        todo: wayBack(home) ?? 'move it away, then run fleet init',
      }
    case 'damaged':
      return {
        name,
        state: 'fail',
        found: `${home.store} is damaged: ${health.what}`,
        todo: wayBack(home) ?? 'there is no good backup; move it away and run fleet init, or try sqlite3 .recover',
      }
  }
}

/** A store without any history, next to a backup with tasks, was made in the place of a lost one. */
function replaced(home: Home, health: StoreHealth): Check | undefined {
  if (health.kind !== 'good' || health.tasks > 0 || health.lastChange !== undefined) return undefined
  const todo = wayBack(home)
  return todo === undefined
    ? undefined
    : { name: 'store', state: 'fail', found: `${home.store} is new and holds no task, but there is a backup`, todo }
}

function wayBack(home: Home): string | undefined {
  const backup = newestGood(home.backups)
  if (backup === undefined) return undefined
  const what = `${backup.path} (${new Date(backup.at).toISOString()}, ${backup.tasks} ${backup.tasks === 1 ? 'task' : 'tasks'})`
  return `fleet doctor --restore puts back the newest good backup, ${what}; the file that is there now is kept`
}

/** A failed backup is silent, so doctor finds it: the store has changed since the newest backup. */
export function checkBackups(home: Home, health: StoreHealth): Check {
  const name = 'backups'
  const [newest] = backupsIn(home.backups)
  const newestText = newest === undefined ? 'none yet' : `newest ${new Date(newest.at).toISOString()}`
  const writable = entryAt(home.backups) === undefined ? canWrite(home.path) : canWrite(home.backups)
  if (!writable)
    return {
      name,
      state: 'warn',
      found: `${newestText}; ${home.backups} cannot be written`,
      todo: 'check its owner and permissions',
    }
  const changedAt =
    health.kind === 'good' && health.tasks > 0 && health.lastChange !== undefined
      ? Date.parse(health.lastChange)
      : undefined
  if (changedAt !== undefined && changedAt - (newest?.at ?? 0) > STALE_BACKUP_MS) {
    return {
      name,
      state: 'warn',
      found: `${newestText}, but the tasks have changed since`,
      todo: 'the next command that writes makes one; if it does not, check the free disk space',
    }
  }
  return { name, state: 'ok', found: newestText }
}
