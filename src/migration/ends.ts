import type { Host } from '../domain/fleet/host.ts'
import type { SharedRecord } from '../domain/fleet/shared-record.ts'
import type { Contents } from '../domain/task/contents.ts'
import type { TaskRecord } from '../domain/task/interchange.ts'
import type { TaskRecords } from '../ports/task-records.ts'

/** The two ends of a move. Where tasks are kept is one of three kinds; what a move asks of each is the same. */

export type QueueKind = 'local' | 'beads' | 'postgres'

export interface Source extends AsyncDisposable {
  readonly kind: QueueKind
  /** For people. */
  readonly location: string
  /** Everything, as it is now. */
  read(): Promise<Reading>
  /** Only where machines share it. */
  readonly records?: TaskRecords
  /** The supervisors of all machines, also those that are away; only where machines share it. */
  hosts?(): Promise<readonly Host[]>
}

export interface Reading {
  readonly contents: Contents
  /** The tasks in the words of the place itself: by them it is recognised later. */
  readonly native: readonly TaskRecord[]
  /** What is there and cannot travel, for people. */
  readonly leftBehind: readonly string[]
}

export interface Target extends AsyncDisposable {
  readonly kind: QueueKind
  readonly location: string
  /** These contents as they will be there, and what of them has no place there, for people. */
  fit(contents: Contents): { readonly contents: Contents; readonly omitted: readonly string[] }
  /** Throws where there are other tasks already, or where nothing can be written. Changes nothing. */
  check(contents: Contents): Promise<void>
  /** Writes, reads back and compares; fails whole. Returns what was set aside for it. */
  fill(contents: Contents, move: FillOptions): Promise<readonly string[]>
}

export interface FillOptions {
  /** What goes along with the tasks to machines that share the queue; a home has it already. */
  readonly records: readonly SharedRecord[]
  /**
   * Throws where the source has changed meanwhile. Asked when all is written but the last word; from then on nobody
   * writes to the old queue until the home knows of the new one, so that word has to follow at once.
   */
  confirmUnchanged(): Promise<void>
}
