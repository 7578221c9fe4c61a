import type { Proc } from '../run/run.ts'

/** The processes of a supervisor and their surroundings, which commands compare with their own (domain/agent/fence.ts). */
export interface SupervisorPlace {
  readonly proc: Proc
  readonly launcher: Proc | null
  /** The inode of the home; undefined: an older fleet wrote no such record. */
  readonly folder?: string | undefined
  /** null: this machine has none. */
  readonly namespaces: Namespaces | null
}

/** The namespaces of a process, on Linux: which processes, users and files it sees. */
export interface Namespaces {
  readonly pid: string
  readonly user: string
  readonly time: string
  /** Device and inode of the root directory. */
  readonly root: string
  /** When the first process of the pid namespace began, in ticks since boot. */
  readonly initStart: number
}
