import type { Database } from '../platform/sqlite/database.ts'
import { beadsKind } from './beads/descriptor.ts'
import type { HomeQueueKind, QueueKind, ServerQueueKind } from './kind.ts'
import { postgresKind } from './postgres/descriptor.ts'
import { localKind } from './sqlite/descriptor.ts'

/** The kinds of queue, in the order people see. */
export const QUEUE_KINDS: readonly QueueKind[] = [localKind, beadsKind, postgresKind]

/** The kind that a value of the `queue` setting names; undefined: none. */
export function queueKindOf(setting: string): QueueKind | undefined {
  return QUEUE_KINDS.find((kind) => kind.fits(setting))
}

export function homeKinds(): readonly HomeQueueKind[] {
  return QUEUE_KINDS.filter((kind) => kind.at === 'home')
}

export function serverKinds(): readonly ServerQueueKind[] {
  return QUEUE_KINDS.filter((kind) => kind.at === 'server')
}

/** The kind that the store of a home records. It stays while the home uses a queue on a server. */
export function homeKindIn(db: Database): HomeQueueKind {
  const row = db.once<{ value: string }>(`select value from meta where key = 'queue'`).get()
  return homeKinds().find((kind) => kind.name === row?.value) ?? localKind
}
