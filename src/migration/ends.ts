import type { Host } from '../domain/fleet/host.ts'
import type { SharedRecord } from '../domain/fleet/shared-record.ts'
import type { Contents } from '../domain/task/contents.ts'
import type { TaskRecord } from '../domain/task/interchange.ts'
import type { TaskRecords } from '../ports/task-records.ts'

/** The two ends of a migration. There are three kinds of queue behind the same interfaces. */

export type QueueKind = 'local' | 'beads' | 'postgres'

export interface Source extends AsyncDisposable {
  readonly kind: QueueKind
  /** For people. */
  readonly location: string
  /** Reads everything, as it is now. */
  read(): Promise<Reading>
  /** Only of a shared queue. */
  readonly records?: TaskRecords
  /** The supervisors of all machines, including offline ones; only of a shared queue. */
  hosts?(): Promise<readonly Host[]>
}

export interface Reading {
  readonly contents: Contents
  /** The tasks as the queue itself shows them; their fingerprint identifies it later. */
  readonly native: readonly TaskRecord[]
  /** The parts that cannot be migrated, for people to read. */
  readonly leftBehind: readonly string[]
}

export interface Target extends AsyncDisposable {
  readonly kind: QueueKind
  readonly location: string
  /** The part of these contents that the target can hold, and descriptions of the rest for people to read. */
  fit(contents: Contents): { readonly contents: Contents; readonly omitted: readonly string[] }
  /** Throws if the target holds other tasks or cannot be written. Changes nothing. */
  check(contents: Contents): Promise<void>
  /** Writes, reads back and compares, all or nothing. Returns the paths of what was set aside. */
  fill(contents: Contents, move: FillOptions): Promise<readonly string[]>
}

export interface FillOptions {
  /** Task records for a shared queue. The home's own ledger has them already. */
  readonly records: readonly SharedRecord[]
  /**
   * Throws if the source has changed. Call it when everything is written but not committed. From then on all writers are
   * locked out of the old queue until the home switches, so commit at once.
   */
  confirmUnchanged(): Promise<void>
}
