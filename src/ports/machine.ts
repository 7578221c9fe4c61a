import type { KeyPair } from '../domain/agent/letter-proof.ts'

/** The machine that a supervisor runs on. */
export interface Machine {
  findProgram(name: string): string | undefined
  /** When the file at a path, or the file that it links to, last changed; undefined: there is none. */
  changedAt(path: string): number | undefined
  /** Why no agent can work in this directory; undefined: one can. */
  directoryProblem(path: string): string | undefined
  /** Whether two paths lead to the same directory, through whatever links. */
  isSameFolder(one: string, other: string): boolean
  contains(folder: string, path: string): boolean
  /** The home of the user, without links. */
  readonly userHome: string
  /** The path without links, as a process in that directory sees it. */
  realPath(path: string): string
  /** Why fleet can make no file in the folder of the tasks; undefined: it can. */
  homeProblem(): string | undefined
  /** How many files this process may have open; undefined: no limit is known. */
  openFilesLimit(): number | undefined
  /** Whether nobody listens on this port of loopback. */
  isFreePort(port: number): Promise<boolean>
  freeDisk(): number
  freeMemory(): number
  readonly processors: number
  readonly hostName: string
  /** Whether this user can start an agent in its own pid namespace. */
  readonly hasPidNamespaces: boolean
  readonly isRoot: boolean
  newId(): string
  newKeyPair(): KeyPair
  /** A random number from 0 to 1. */
  chance(): number
}
