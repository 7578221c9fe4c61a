import type { Letter } from '../domain/agent/inbox.ts'
import type { Run } from '../domain/run/run.ts'
import type { SidecarPlace } from './coder.ts'

/** The folders of tasks and attempts: what the supervisor writes down, what agents leave, and what they print. */
export interface Attempts {
  /**
   * Makes the attempt's folder and what an agent expects around it. A folder of that number is from another time, as after
   * a restored backup, and put aside: its exit must not be taken for this one's.
   */
  make(task: string, attempt: number): void
  folder(task: string, attempt: number): string
  taskFolder(task: string): string
  artifacts(task: string): string
  /** For a task without a directory of its own. Made if it is not there. */
  ownFolder(task: string): string
  temporary(task: string, attempt: number): string

  /**
   * A file of an attempt that was just made. Written plainly: its agent is started after it, so whoever finds half of it,
   * after a crash, finds an attempt that never began.
   */
  create(task: string, attempt: number, name: string, content: string): void
  /** The same once others may read it: they see the old content or the new, never a part. */
  replace(task: string, attempt: number, name: string, content: string): void
  read(task: string, attempt: number, name: string): string | undefined
  /** The end of what it wrote to stderr, as text; `from`: nothing of what stands before that. */
  stderrTail(task: string, attempt: number, how?: { from: number }): string
  /** `.failures`, and the link to the newest stderr. */
  project(task: string, at: { attempt: number; failures: number }): void

  /** Follows stdout from its first byte. */
  follow(task: string, attempt: number): Stream
  /** Follows the file that a coder keeps somewhere else. undefined: it is not there yet. */
  followBeside(place: SidecarPlace): Stream | undefined
  /** sha256 of the first bytes of stdout as they are now; undefined: there are not so many. */
  hashOfStdout(task: string, attempt: number, bytes: number): Promise<string | undefined>
  /** When its launch record was written, by the clock that files are dated by; undefined: there is none. */
  recordedAt(task: string, attempt: number): number | undefined
  /** How much it has printed, and when it last did, in milliseconds of the wall clock; undefined: nothing yet. */
  printed(task: string, attempt: number): Printed | undefined
  /** The same of its stderr. */
  complained(task: string, attempt: number): Printed | undefined
  /** How far the events of a run were written down before: the source offset of the last one, or -1. */
  eventsUpTo(task: string, run: string): number
  appendEvents(task: string, lines: readonly string[]): void
  appendLog(task: string, lines: readonly string[]): void

  /** Those that came since the last time; they become evidence of the attempt. */
  letters(run: Pick<Run, 'id' | 'task' | 'attempt'>, how: { last: boolean }): readonly Letter[]
  /** Those that were taken before, by this supervisor or an earlier one. */
  oldLetters(run: Pick<Run, 'id' | 'task' | 'attempt'>): readonly Letter[]
  /** What the run left in its temporary folder; `problem`: why that is not all of it. undefined: nothing, and it is gone. */
  leftInTemporary(task: string, attempt: number): Promise<LeftInTemporary | undefined>
  removeTemporary(task: string, attempt: number): Promise<void>
}

export interface Printed {
  readonly bytes: number
  readonly at: number
}

/** What an agent prints, as it grows. */
export interface Stream {
  /** At most one buffer full; true: there is more at once. The bytes are only good during the call. */
  read(take: (bytes: Buffer) => void): boolean
  readonly bytes: number
  /** Of all that was read. */
  sha256(): string
  /** When it was last written to, by the clock that files are dated by. */
  changedAt(): number | undefined
  /** The file shrank, or another stands in its place: what it says is no evidence. */
  altered(): boolean
  close(): void
}

export interface LeftInTemporary {
  readonly bytes: number
  readonly problem?: string
}
