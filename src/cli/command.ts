import type { Home } from '../platform/files/home.ts'
import type { Flag, Flags } from './flags.ts'
import type { Painted } from './render/painted.ts'

/** One command of fleet's own. The table entry is all that parsing, help and the reference page need. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** The arguments and flags after the name, e.g. `<id> [--json]`. */
  readonly usage: string
  readonly about?: string
  readonly examples?: readonly string[]
  readonly flags: readonly Flag[]
  readonly subcommands?: readonly Command[]
  /** Added to `--help`, from the state of this home; never throws. */
  helpHere?(home: Home): string
  /** Returns the exit code, 0 if it returns nothing. Throws AppError for a problem that a person can fix. */
  run(call: Call): Promise<number | undefined> | Promise<void>
}

export interface Call {
  readonly flags: Flags
  readonly args: readonly string[]
  readonly home: Home
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Text on stdout, made safe for terminals, a newline added. */
  print(line: string): void
  /** The same on stderr: progress and warnings. */
  warn(line: string): void
  /** The same on stdout with colours of our own. */
  show(text: Painted): void
  /** One JSON document on stdout. */
  answer(value: unknown): void
}
