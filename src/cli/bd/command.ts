import type { Repository } from '../../domain/task/repository.ts'
import type { TaskSettings } from '../../domain/task/settings.ts'
import type { Home } from '../../platform/files/home.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import type { Flag, Flags } from '../flags.ts'

/** One command of bd's language. The table entry is all that parsing, help and the reference page need. */
export interface BdCommand {
  readonly name: string
  readonly aliases?: readonly string[]
  /** One line, for the list of commands. */
  readonly summary: string
  /** The arguments after the command's name, e.g. `[id...] [flags]`. */
  readonly usage: string
  /** A few lines on what it does, if the summary is not enough. */
  readonly about?: string
  readonly examples?: readonly string[]
  readonly flags: readonly Flag[]
  /** For programs only: not in the list of commands. */
  readonly hidden?: boolean
  /** Commands below this one (`dep add`). With a subcommand table, `run` is called when none of them is named. */
  readonly subcommands?: readonly BdCommand[]
  /** bd flags that this command refuses, each with an alternative. Using one exits 8. */
  readonly refused?: Readonly<Record<string, string>>
  /** The letters of refused flags, each with the flag's name. */
  readonly refusedShort?: Readonly<Record<string, string>>
  /** Read-only: the store is opened for reading, so the command also works in a read-only home. */
  readonly reads?: boolean | ((flags: Flags) => boolean)
  run(call: BdCall): Promise<void>
}

/** Everything a command may touch. `print` and `warn` escape their text for terminals; callers do not. */
export interface BdCall {
  readonly flags: Flags
  readonly args: readonly string[]
  readonly store: TaskStore
  readonly home: Home
  /** The actor: --actor, BD_ACTOR, BEADS_ACTOR, then the user's name. Inside a run it is always the agent. */
  readonly actor: string
  /** The task of the agent that calls inside its run; undefined for people. */
  readonly agent?: string
  /** Set when an agent creates tasks inside its run: they are discovered from its task and belong to its project. */
  readonly origin?: Origin
  /** The user's working directory. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly now: Date
  /** A program reads the output: --json, --format json, or BD_JSON. */
  readonly json: boolean
  /** Which streams are terminals. */
  readonly terminal: { readonly out: boolean; readonly err: boolean }
  readonly quiet: boolean
  /** A line of text for people, on stdout. */
  print(line: string): void
  /** A line on stderr. */
  warn(line: string): void
  /** The command's answer as bd prints JSON: arrays bare, objects with schema_version, or all in the envelope. */
  answer(value: unknown, pagination?: Pagination): void
  /** The same for an array too long for memory. */
  answerEach(values: AsyncIterable<unknown>): Promise<void>
  /** Reads a whole file, or standard input if `path` is '-'. */
  readInput(path: string): string
  /** Sets the exit code (default 1) for when the command has finished. */
  fail(exitCode?: number): void
}

export interface Origin {
  readonly task: string
  readonly cwd: string | undefined
  /** Those that its tasks take over: where they are done, the branch that they are for, and what their agents may do. */
  readonly settings: Pick<TaskSettings, 'cwd' | 'isolation' | 'target' | 'scope' | 'read_only' | 'sandbox'>
  readonly repository: Repository | undefined
}

export interface Pagination {
  readonly returned: number
  readonly total?: number
  readonly truncated: boolean
}

/**
 * The command fails with exit 1. bd is not uniform about where the message goes with --json:
 * `stdout` (the usual place), `stderr`, or `text`: plain text on stderr.
 */
export class BdFailure extends Error {
  readonly json: 'stdout' | 'stderr' | 'text'
  readonly hint: string | undefined
  readonly exitCode: number

  constructor(message: string, more: { json?: 'stdout' | 'stderr' | 'text'; hint?: string; exitCode?: number } = {}) {
    super(message)
    this.name = 'BdFailure'
    this.json = more.json ?? 'stdout'
    this.hint = more.hint
    this.exitCode = more.exitCode ?? 1
  }
}
