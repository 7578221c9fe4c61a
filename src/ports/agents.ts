import type { Exit, Proc } from '../domain/run/run.ts'
import type { Look } from '../domain/run/watchdog.ts'

/** Processes of agents: started so that they outlive the supervisor, found again, and ended so that none is left. */
export interface Agents {
  /**
   * Starts `argv` detached in a process group of its own under the recording wrapper; stdout and stderr go straight into
   * the attempt's files. `ended` is called once, when the wrapper (the leader) has gone or nobody will tell any more; a
   * look says which. Rejects with AppError where nothing was started, with StartUnanswered where nobody knows.
   */
  start(order: StartOrder, ended: () => void): Promise<Proc>
  /** The recorded exit status, without a look at processes; undefined: none yet, or nobody recorded it. */
  exitOf(run: RunPlace): number | undefined
  /** What is known of a run by its files, the process table and its marker; for a run that is in the ledger. */
  look(run: RunPlace): Sighting
  /**
   * Makes sure that a run that was never started never will be: true, it cannot start any more; false, it has started.
   * Decided by who creates the pid file.
   */
  forbidStart(run: RunPlace): boolean
  /** To the whole group, if it still is this run's. */
  signal(run: RunPlace, signal: 'SIGTERM' | 'SIGKILL'): void
  /** Names this start of the machine, or of the container. */
  bootId(): string
  /** How long ago it was started, by the kernel's clock and not the wall's; undefined: before the machine was. */
  ageOf(proc: Proc): number | undefined
  /** Whether anything of its process group is left (zombies are not). One system call. */
  groupAlive(run: RunPlace): boolean
  /** Whether whoever tells of its end has just seen that nothing of it is left, in its group or elsewhere. */
  leftNothing(run: RunPlace): boolean
  /** What its agent and all below it do. One pass over the process table: for those that say nothing. */
  activity(run: RunPlace): Activity
  /** One pass over the process table for all runs: pids that carry each marker, zombies left out. */
  sweep(): ReadonlyMap<string, readonly Found[]>
  /** To what a sweep found; SIGKILL where nothing else is said. false: it had gone by itself meanwhile. */
  kill(found: Found, signal?: 'SIGSTOP' | 'SIGKILL'): boolean
}

export type Activity = Omit<Look, 'at'>

/** Whoever was to start it has gone without an answer: it may run, or still begin to. */
export class StartUnanswered extends Error {}

export interface StartOrder {
  readonly run: string
  /** The attempt's folder: stdout.jsonl, stderr.log, exit.json, exit.json.pid are made in it. */
  readonly folder: string
  /** Absolute path of the program, and its arguments. */
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; FLEET_RUN_ID is in it. */
  readonly env: Readonly<Record<string, string>>
  /** A file to read, or nothing. */
  readonly stdin: string | undefined
  readonly namespace: boolean
}

export interface RunPlace {
  readonly run: string
  readonly folder: string
  readonly proc: Proc | null
  /** The start of the machine it was launched under, where `proc` does not say. */
  readonly boot?: string | undefined
}

export type Sighting =
  /** No exit file, no pid file, no process with its marker. */
  | { readonly kind: 'never-started' }
  /** The leader or anything of its group or marker lives; `proc` is the leader's if it does. */
  | { readonly kind: 'alive'; readonly proc: Proc | null; readonly pids: readonly number[] }
  | { readonly kind: 'gone'; readonly exit: Exit }
  /** The machine was started anew since, and nobody had recorded how it ended. */
  | { readonly kind: 'machine-lost' }

export interface Found {
  readonly pid: number
  readonly startTime: string
  /** The first words of its command line, for the report. */
  readonly command: string
}
