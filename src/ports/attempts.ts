import type { ForgedLetter, NamedLetter } from '../domain/agent/inbox.ts'
import type { Damage, DamagedAttempt } from '../domain/run/damage.ts'
import type { FilesSeen } from '../domain/run/diagnosis/growth.ts'
import type { Run } from '../domain/run/run.ts'
import type { SidecarPlace } from './coder.ts'

/** The folders of tasks and attempts: the supervisor's records, and what agents print and leave. */
export interface Attempts {
  /**
   * Makes the attempt's folder and what an agent expects around it. An existing folder of that number is from another
   * time, as after a restored backup. It is set aside: its exit must not be taken for this attempt's.
   */
  make(task: string, attempt: number): void
  /**
   * Undoes what an agent did to the folders and files that fleet keeps for the task, and tells what that was: of this
   * attempt, or without one of the task alone. Only while no process of the task is left.
   */
  mend(task: string, of?: DamagedAttempt): readonly Damage[]
  /** Whether the folder of all tasks can be used. Otherwise an error in the folder of one task is not its agent's doing. */
  isReachable(): boolean
  folder(task: string, attempt: number): string
  taskFolder(task: string): string
  artifacts(task: string): string
  /** The working directory of a task that has none. Made if missing. */
  ownFolder(task: string): string
  temporary(task: string, attempt: number): string
  /** A folder of its own in the attempt's, for one thing that the supervisor runs. Made empty. */
  part(task: string, attempt: number, name: string): string
  /** Whether that folder is there, and no link in its place. */
  isPart(task: string, attempt: number, name: string): boolean
  /** Removes folders of the attempt's with what supervisors ran there, if they are in their places. */
  removeParts(task: string, attempt: number, names: readonly string[]): void
  /** The end of what it printed: of its stderr, or its stdout if that is empty. */
  partTail(task: string, attempt: number, name: string): string

  /**
   * Writes a file of an attempt that was just made. No rename is needed: its agent starts later, so half a file, after a
   * crash, belongs to an attempt that never began.
   */
  create(task: string, attempt: number, name: string, content: string): void
  /** Writes a file that others may be reading: they see the old content or the new, never a part. */
  replace(task: string, attempt: number, name: string, content: string): void
  /** undefined: there is no such file, or an agent put something else there. */
  read(task: string, attempt: number, name: string): string | undefined
  /** Whether anything is at one of these names. */
  has(task: string, attempt: number, names: readonly string[]): boolean
  /** The end of its stderr, as text; `from`: only bytes from that offset on. */
  stderrTail(task: string, attempt: number, how?: { from: number }): string
  /** Writes `.failures`, and the link to the newest stderr. */
  project(task: string, at: { attempt: number; failures: number }): void

  /** Follows stdout from its first byte. `file`: its device and inode, if known; any other file there is no evidence. */
  follow(task: string, attempt: number, file: string | undefined): Stream
  /** Follows a coder's sidecar file. undefined: it does not exist yet. */
  followBeside(place: SidecarPlace): Stream | undefined
  /** The files in these folders; undefined: none has a file. */
  filesIn(folders: readonly string[]): FilesSeen | undefined
  /** sha256 of the first bytes of stdout as they are now; undefined: stdout is shorter. */
  hashOfStdout(task: string, attempt: number, bytes: number): Promise<string | undefined>
  /** When its launch record was written, by the file system's clock; undefined: there is none. */
  recordedAt(task: string, attempt: number): number | undefined
  /** How much it has printed to stdout, and when it last did, by the wall clock; undefined: nothing yet. */
  printed(task: string, attempt: number): Printed | undefined
  /** The same for stderr. */
  complained(task: string, attempt: number): Printed | undefined
  /** The source offset of the last event of a run that was written before, or -1. */
  eventsUpTo(task: string, run: string): number
  /** How much all attempts at the task have written there. */
  eventBytes(task: string): number
  appendEvents(task: string, lines: readonly string[]): void
  appendLog(task: string, lines: readonly string[]): void

  /** The letters since the last call; they become evidence of the attempt. */
  letters(run: Correspondent, how: { last: boolean }): TakenLetters
  /** The letters that this supervisor or an earlier one has taken before. */
  oldLetters(run: Correspondent): TakenLetters
  /** The size of the run's temporary folder; `problem`: why the size is incomplete. undefined: the folder is gone. */
  leftInTemporary(task: string, attempt: number): Promise<LeftInTemporary | undefined>
  removeTemporary(task: string, attempt: number): Promise<void>
}

export interface Correspondent extends Pick<Run, 'id' | 'task' | 'attempt'> {
  /** Its letters must be signed with this key; undefined: an older fleet started it, and they need not be. */
  readonly letterCheck: string | undefined
}

export interface TakenLetters {
  readonly letters: readonly NamedLetter[]
  readonly forged: readonly ForgedLetter[]
}

export interface Printed {
  readonly bytes: number
  readonly at: number
}

/** An agent's output, as it grows. */
export interface Stream {
  /** At most one buffer full; true: there is more. The bytes are valid only during the call. */
  read(take: (bytes: Buffer) => void): boolean
  readonly bytes: number
  /** Of everything read so far. */
  sha256(): string
  /** How long the file is, also where it was not read yet. */
  size(): number
  /** When it was last written to, by the file system's clock. */
  changedAt(): number | undefined
  /** The file shrank or was replaced: its content is no evidence. */
  altered(): boolean
  close(): void
}

export interface LeftInTemporary {
  readonly bytes: number
  readonly problem?: string
}
