import type { Usage } from '../../../src/domain/run/event.ts'
import type { ToolCall } from '../model/turns.ts'

/** What differs between the real CLIs; the scenarios are the same for all. */
export interface RealCoder {
  readonly name: string
  /** The variable with its account's key. The supervisor has it, and `env_pass` passes it on. */
  readonly key: string
  /** `[coders.<name>].env`. */
  env(place: CoderPlace): Readonly<Record<string, string>>
  /** Files in the user's home before its first start, by path. */
  files(place: CoderPlace): Readonly<Record<string, string>>
  /** A file of the user's home that adds an MCP server, which runs this line. Absent: it reviews nothing. */
  mcpServer?(line: string): { readonly path: string; readonly text: string }
  /** Absent: fleet reaches it between its turns only. */
  readonly hooks?: {
    /**
     * A file of the user's home that adds hooks before each tool: one that runs the first line, which the user trusts, and
     * where the CLI asks for that, one that runs the other line, which nobody trusts.
     */
    ofUser(trusted: string, untrusted: string, home: string): { readonly path: string; readonly text: string }
  }
  /** Its command line without fleet. */
  alone(prompt: string): readonly string[]
  shell(command: string): ToolCall
  /** Through the CLI's own tool for writing files. */
  write(path: string, text: string): ToolCall
  /** The context window that fleet assumes, in tokens. */
  readonly window: number
  /** Usage figures that it never reports. */
  readonly unreported: readonly (keyof Usage)[]
  /** What it reports about the reset of a usage limit. */
  readonly resets: 'reported' | 'unreported' | 'midnight'
  /** Problems that it retries for very long by itself, with messages only on stderr. */
  readonly silentIn: readonly ('usage-limit' | 'overload')[]
  /** How many of its scenarios two cores can run at once, beside those of the other coders. */
  readonly atOnce: number
  /** Hosts that it tries to reach unasked; the proxy refuses them. */
  readonly contacts: readonly string[]
}

export interface CoderPlace {
  /** The address of the model. */
  readonly url: string
  /** The user's home, in a folder of this test. */
  readonly home: string
}
