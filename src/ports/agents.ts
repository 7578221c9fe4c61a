import type { Look } from '../domain/run/diagnosis/look.ts'
import type { MemoryUse } from '../domain/run/diagnosis/memory.ts'
import type { Exit, Proc } from '../domain/run/run.ts'

/** The processes of agents: started so that they outlive the supervisor, found again, and ended without leftovers. */
export interface Agents {
  /**
   * Starts the program detached, in its own process group, under the recording wrapper; stdout and stderr go straight into
   * the attempt's files. `ended` is called once: when the wrapper (the leader) has gone, or when its exit will not be
   * reported any more; `look` says which. Rejects with AppError if nothing was started, with StartUnanswered if that is
   * unknown.
   */
  start(order: StartOrder, ended: () => void): Promise<Started>
  /** The recorded exit status, without looking at processes; undefined: none was recorded, or not yet. */
  exitOf(run: RunPlace): number | undefined
  /**
   * `witnessed`: its exit status is from the kernel, not from its file. `altered`: its exit file says something else, or was
   * not written by its wrapper. `at`: when its exit was written down; undefined: it was not.
   */
  exitRecord(run: RunPlace): {
    readonly witnessed: boolean
    readonly altered: boolean
    readonly at: number | undefined
  }
  /** Whether its wrapper has begun, by the files that it writes: before that, not one instruction of the agent was run. */
  hasBegun(run: RunPlace): boolean
  /** Looks at the files, the process table and the marker of a run in the ledger. */
  look(run: RunPlace): Sighting
  /**
   * Makes sure that a run that was never started never will be. True: it cannot start any more; false: it has started.
   * The first to create the pid file wins.
   */
  forbidStart(run: RunPlace): boolean
  /** Signals the whole group, if it still is this run's. */
  signal(run: RunPlace, signal: 'SIGTERM' | 'SIGKILL'): void
  /** Identifies this boot of the machine, or this start of the container. */
  bootId(): string
  /** How long ago the process started, by the kernel's clock, not the wall clock; undefined: before the last boot. */
  ageOf(proc: Proc): number | undefined
  /** Whether its process group has a process that is not a zombie. One system call. */
  groupAlive(run: RunPlace): boolean
  /** Whether the report of its end also said that no process is left, in its group or elsewhere. */
  leftNothing(run: RunPlace): boolean
  /** The activity of the agent and its descendants. One pass over the process table, for agents that print nothing. */
  activity(run: RunPlace): Activity
  /** The memory of the processes of each run: its leader, and all below it. One pass over the process table for all. */
  memory(runs: readonly RunPlace[]): ReadonlyMap<string, readonly MemoryUse[]>
  /**
   * Which of these runs have processes that their tools left behind: their agents live, and are no longer above them. By
   * run, the age of the youngest in milliseconds. One pass over the process table.
   */
  leftBehind(runs: readonly RunPlace[]): ReadonlyMap<string, number>
  /**
   * A look at the process table while these runs live, so that their processes are recognised later, whatever becomes of
   * their parents and environments. None is made if the launcher keeps track of all of them. Returns the families that have
   * changed, by run, for the ledger.
   */
  observe(runs: readonly RunPlace[]): ReadonlyMap<string, string>
  /**
   * One pass over the process table for all runs: the processes of each, by ancestry or marker, without zombies. The key ''
   * stands for processes that ended runs left behind, where it is not known which. `maxAgeMs`: how old a shared look may be.
   */
  sweep(maxAgeMs?: number): ReadonlyMap<string, readonly Found[]>
  /**
   * Kills what ended runs have left, again and again until nothing is left: a process that is replaced by its child every few
   * milliseconds is gone before a sweep has ended. Without a launcher it does nothing, and the next sweep goes on; nor while
   * it cannot tell them from an agent that lives on without its wrapper.
   */
  endOrphans(): void
  /** Signals a process that a sweep found, by default with SIGKILL. false: it had gone by itself meanwhile. */
  kill(found: Found, signal?: 'SIGSTOP' | 'SIGKILL'): boolean
}

/** `ageMs`: how long ago the processes were like that. */
export type Activity = Omit<Look, 'at'> & { readonly ageMs: number }

export interface Started extends Proc {
  /** Device and inode of the file that its stdout goes to. */
  readonly output?: string
}

/** The launcher went away without an answer: the agent may run, or still start. */
export class StartUnanswered extends Error {}

export interface StartOrder {
  readonly run: string
  /** The attempt's folder, for stdout.jsonl, stderr.log, exit.json and exit.json.pid. */
  readonly folder: string
  /** Absolute path of the program, and its arguments. */
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; FLEET_RUN_ID is in it. */
  readonly env: Readonly<Record<string, string>>
  /** The file that stdin reads; undefined: stdin is empty. */
  readonly stdin: string | undefined
  /** One file for stdout and stderr in the folder; absent: stdout.jsonl and stderr.log. */
  readonly printsTo?: string
  readonly namespace: boolean
}

export interface RunPlace {
  readonly run: string
  readonly folder: string
  readonly proc: Proc | null
  /** The boot it was launched under, where `proc` does not say. */
  readonly boot?: string | undefined
  /** An older fleet started it: its exit file has no key. */
  readonly unkeyed?: boolean | undefined
  /** Its processes as an earlier supervisor recorded them. */
  readonly family?: string | undefined
}

export type Sighting =
  /** No exit file, no pid file, no process with its marker. */
  | { readonly kind: 'never-started' }
  /** The leader, its group, or a process with its marker lives; `proc` is the leader's if the leader does. */
  | { readonly kind: 'alive'; readonly proc: Proc | null; readonly pids: readonly number[] }
  | { readonly kind: 'gone'; readonly exit: Exit }
  /** The machine was rebooted since, and no exit was recorded. */
  | { readonly kind: 'machine-lost' }

export interface Found {
  readonly pid: number
  readonly startTime: string
  /** The first words of its command line, for the receipt. */
  readonly command: string
  /**
   * `none`: it belongs to another user, and this one may not end it. `unsure`: it may belong to a run that is just being
   * started. Absent: it can be ended.
   */
  readonly reach?: 'none' | 'unsure'
  /** Of a process that an ended run left behind: the run it names itself. Good enough for a receipt, and for nothing else. */
  readonly marker?: string
}
