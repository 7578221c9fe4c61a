import type { Home } from './platform/home.ts'
import { touchWake } from './platform/wake.ts'
import type { TaskStore } from './ports/task-store.ts'
import { openStore } from './queues/sqlite/open.ts'
import { SqliteQueue } from './queues/sqlite/queue.ts'

/** The composition root: the one place that says which concrete parts make a fleet. */

export interface OpenOptions {
  readonly readOnly?: boolean
}

/** The local queue of this home. Commands that only read say so, and then work on a home they may not write. */
export function openLocalQueue(home: Home, options: OpenOptions = {}): TaskStore {
  home.require()
  const db = openStore({ path: home.store, readOnly: options.readOnly ?? false })
  return new SqliteQueue(db, { clock: { now: Date.now }, committed: () => touchWake(home.wake) })
}

/** Made by `fleet init`; idempotent. */
export async function createLocalQueue(home: Home, prefix = 'fleet'): Promise<void> {
  const db = openStore({ path: home.store, create: true, prefix })
  db[Symbol.dispose]()
}

export function actorFrom(env: NodeJS.ProcessEnv, given: string | undefined): string {
  for (const name of [given, env['BD_ACTOR'], env['BEADS_ACTOR'], env['USER'], env['LOGNAME']]) {
    if (name !== undefined && name !== '') return name
  }
  return 'unknown'
}
