import type { Log } from '../domain/fleet/log-event.ts'
import type { AppError } from '../errors.ts'
import type { Home } from '../platform/files/home.ts'
import type { Database } from '../platform/sqlite/database.ts'
import type { TaskStore } from '../ports/task-store.ts'

/** The kinds that a home has to itself: its store records which of them it uses. */
export type HomeQueueName = 'local' | 'beads'
export type QueueName = HomeQueueName | 'postgres'

/**
 * One way to keep the tasks of a home. Every command loads all of these descriptors, so a descriptor imports nothing heavy;
 * `outside` imports the rest when the queue is used.
 */
export type QueueKind = HomeQueueKind | ServerQueueKind

interface Described {
  /** In messages: `local, beads or a postgres:// URL`. */
  readonly expected: string
  /** In the usage line of a command: `local|beads|postgres://...`. */
  readonly usage: string
  /** Whether this value of the `queue` setting names the kind. */
  fits(setting: string): boolean
  /** The program that answers `fleet bd` to a person. */
  readonly servedBy: 'fleet' | 'bd'
  /** A queue outside the store of the home. Absent: the tasks are in that store, which every home has. */
  outside?(): Promise<OutsideQueue>
}

export interface HomeQueueKind extends Described {
  readonly at: 'home'
  readonly name: HomeQueueName
  /** Where the tasks of a home are, for people. */
  readonly where: string
  /** Its folder in the home. Without the folder, the kind that the store records cannot be used. */
  readonly folder?: { of(home: Home): string; gone(home: Home): AppError }
}

/** At the address in runtime.toml, where other homes may use the same tasks. */
export interface ServerQueueKind extends Described {
  readonly at: 'server'
  readonly name: Exclude<QueueName, HomeQueueName>
  /** A word in every address: without it in runtime.toml, no command parses the file to look for an address. */
  readonly addressHas: string
  outside(): Promise<OutsideQueue>
}

export interface OutsideQueue {
  open(place: QueuePlace): Promise<TaskStore>
  /** For `fleet init`; idempotent. Returns the location for people, without passwords. */
  create(place: QueuePlace): Promise<string>
  /** The findings for `fleet doctor`. Throws an AppError for a queue that cannot be reached. */
  examine(place: QueuePlace): Promise<QueueReport>
}

/** A home, as a queue outside its store sees it. */
export interface QueuePlace {
  readonly home: Home
  /** The `queue` setting: the name of the kind, or the address of a server. */
  readonly setting: string
  readonly env: NodeJS.ProcessEnv
  /** Reports trouble that the queue overcomes by itself. Only a supervisor listens, for days. */
  readonly log?: Log | undefined
  /** Ends a wait for a server that is not ready. */
  readonly signal?: AbortSignal | undefined
  /** The store of the home, open for writing. */
  openStore(): Database
  /** Throws if a migration has moved the tasks since the kind of the queue was looked up. */
  requireUnmoved(): Promise<void>
}

export interface QueueReport {
  readonly state: 'ok' | 'warn'
  readonly found: string
  readonly todo?: string
}
