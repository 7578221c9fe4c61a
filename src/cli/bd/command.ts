import type { Repository } from '../../domain/task/repository.ts'
import type { Home } from '../../platform/files/home.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import type { Flag, Flags } from '../flags.ts'

/** One command of bd's language. The table entry is all that parsing, help and the reference page need. */
export interface BdCommand {
  readonly name: string
  readonly aliases?: readonly string[]
  /** One line, for the list of commands. */
  readonly summary: string
  /** What follows the command's name, e.g. `[id...] [flags]`. */
  readonly usage: string
  /** A few lines of what it does, where the summary is not enough. */
  readonly about?: string
  readonly examples?: readonly string[]
  readonly flags: readonly Flag[]
  /** Commands below this one (`dep add`). With a subcommand table, `run` is called when none of them is named. */
  readonly subcommands?: readonly BdCommand[]
  /** Flags of bd's that this command refuses, each with what to do instead. Using one exits 8. */
  readonly refused?: Readonly<Record<string, string>>
  /** Only looks: the store is opened for reading, so it also works on a home that cannot be written. */
  readonly reads?: boolean | ((flags: Flags) => boolean)
  run(call: BdCall): Promise<void>
}

/** Everything a command may touch. Text given to `print` and `warn` is made safe for terminals there, not by the caller. */
export interface BdCall {
  readonly flags: Flags
  readonly args: readonly string[]
  readonly store: TaskStore
  readonly home: Home
  /** Who is acting: --actor, BD_ACTOR, BEADS_ACTOR, then the user's name. Inside a run the agent, whatever it says. */
  readonly actor: string
  /** Set where an agent creates tasks inside its run: they come from its own task, and belong to its project. */
  readonly origin?: Origin
  /** Where the user stands. */
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly now: Date
  /** Programs are listening: --json, --format json, or BD_JSON. */
  readonly json: boolean
  /** Which of the streams a person reads directly. */
  readonly terminal: { readonly out: boolean; readonly err: boolean }
  readonly quiet: boolean
  /** A line of text for people, on stdout. */
  print(line: string): void
  /** A line on stderr. */
  warn(line: string): void
  /** The command's answer as bd prints JSON: arrays bare, objects with schema_version, or all in the envelope. */
  answer(value: unknown, pagination?: Pagination): void
  /** The same for an array too long to stand in memory. */
  answerEach(values: AsyncIterable<unknown>): Promise<void>
  /** All of standard input, or of a file where `path` is not '-'. */
  readInput(path: string): string
  /** Ends the command with this exit code (1) after everything was said. */
  fail(exitCode?: number): void
}

export interface Origin {
  readonly task: string
  readonly cwd: string | undefined
  readonly repository: Repository | undefined
}

export interface Pagination {
  readonly returned: number
  readonly total?: number
  readonly truncated: boolean
}

/**
 * The command cannot be carried out; exit 1. bd is not uniform about where the message goes when --json is given:
 * `stdout` (its usual way), `stderr`, or `text`: plain on stderr all the same.
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
