import type { HookEvent } from '../domain/agent/hook.ts'
import type { Digest } from '../domain/run/digest.ts'
import type { CoderEvent } from '../domain/run/event.ts'
import type { Outcome } from '../domain/run/outcome.ts'
import type { Exit } from '../domain/run/run.ts'
import type { SubagentTraits } from '../domain/run/work-done.ts'

/** A CLI agent as the supervisor needs to know it. Every member is pure: no file, no clock, no process. */
export interface Coder {
  readonly name: string
  /** The program on PATH that it runs; looked for before a task is begun. */
  readonly binary: string
  readonly traits: CoderTraits
  /** For each payer that its stream can name: the variable that the user must have given for it. */
  readonly payers?: Readonly<Record<string, string>>
  /**
   * The coder as it is in that version, as `<binary> --version` prints it, where versions differ in their flags or output.
   * The version is asked once per binary; without an answer the coder is used as it is.
   */
  forVersion?(version: string): Coder
  /** Its stream never tells its version, so `<binary> --version` is asked for the receipt. */
  readonly versionUntold?: true
  /** Tokens of a model's context window, for a stream that does not tell it; undefined: the default in the traits. */
  windowOf?(model: string): number | undefined
  /** The files that decide what it lets its agent do: `~/…` below the user's home, others below the project. */
  readonly settingsFiles?: readonly string[]
  /** Each of its shell calls runs in the directory of the run, unless the call names another. Absent: that is not known. */
  readonly shellStartsInCwd?: true
  /** Folders below the user's home (`~/…`) in which its own tools keep plans and notes. Absent: none is known. */
  readonly notes?: readonly string[]
  launch(order: Order): Launch
  /**
   * Starts it to look at work that others did: the prompt on stdin, nothing that it could change anything with, and no
   * configuration of the tree that it looks at. Absent: it has no such mode, or nobody has tried it.
   */
  launchReviewer?(order: ReviewerOrder): Pick<Launch, 'args' | 'env'>
  /** How its program names the user's MCP servers, for `launchReviewer`. Absent: that leaves them out without their names. */
  readonly mcpServers?: McpServers
  /** Parses one line of stdout, without the newline. Never throws; a line it does not know becomes `unknown`. */
  parse(line: string): readonly CoderEvent[]
  /**
   * The output of its tools in one line of stdout, for people who read an attempt. `parse` leaves it out: it is long, and
   * the supervisor needs none of it. Never throws. Absent: its stream has none.
   */
  outputs?(line: string): readonly ToolOutput[]
  /** Absent: every call of the kind `agent` starts a sub-agent, and the stream may not show what that one does. */
  readonly subagents?: SubagentTraits
  /** Its stream tells a tool call only when it has ended: from its last output on, one may be open. */
  readonly toolsToldLate?: true
  /** An answer comes in pieces: each text goes on where the one before it ended. */
  readonly textInPieces?: true
  /**
   * The verdict of the coder's own output and its exit. `finished` is not `done`, only the absence of trouble: the supervisor
   * judges claim and evidence. Order: error fields, result, pending background work, exit code.
   */
  verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict
  /** Absent: its stdout tells everything. */
  readonly sidecar?: Sidecar
}

/** The output of one tool call. */
export interface ToolOutput {
  /** As in the events of the call. */
  readonly id: string
  readonly text: string
}

/**
 * A file that the coder itself writes about a session, with facts that its stdout lacks. Its events and those of stdout are
 * folded into one digest, in any order: nothing is counted twice.
 */
export interface Sidecar {
  /** Where it is, once the session is known. undefined: unknown. */
  place(run: SidecarRun): SidecarPlace | undefined
  /**
   * A reader of its lines from the first byte on, each without its newline. The file of a resumed session begins with
   * earlier runs; of those the reader reports only their usage. The events are a function of the lines: another supervisor
   * that reads them again gets the same. Never throws; an irrelevant line gives no event.
   */
  reader(run: SidecarRun): (line: string) => readonly CoderEvent[]
  /** The folders whose files grow while sub-agents of the session work. Absent: there are none. */
  subagents?(run: SidecarRun): readonly string[]
}

export interface SidecarRun {
  readonly session: string
  /** Wall clock; before the agent was started and after all earlier runs of its session had gone. */
  readonly startedAt: number
  /** Without links, as the agent itself sees it. */
  readonly cwd: string
  /** The agent's environment. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The file whose name ends in `nameEnd`, in the first of these folders that has one; the first by name if several match. It
 * appears some time after the session starts.
 */
export interface SidecarPlace {
  readonly folders: readonly string[]
  /** Look in the subfolder of this name of each folder inside them instead. */
  readonly inEach?: string
  readonly nameEnd: string
}

export type Verdict = { readonly kind: 'finished' } | { readonly kind: 'failed'; readonly outcome: Outcome }

export interface CoderTraits {
  /** `explicit`: it claims done by `fleet done`; `exit`: by exit status 0. */
  readonly claim: 'explicit' | 'exit'
  /** `exit`: the task is a script, so exit status 0 is the evidence, and there is no prompt. */
  readonly evidence: 'work' | 'exit'
  /** Can resume an earlier session. */
  readonly resume: boolean
  /** `json`: its stdout is a stream of events, one JSON document per line. */
  readonly stream: 'json' | 'text'
  /**
   * Calls hooks in claude's format. `launch` adds those of its order for this run alone: by arguments, which nobody changes
   * once it runs, and beside the user's own hooks. No file of the project or of the user is written.
   */
  readonly hooks?: true
  /** Tokens, unless the stream tells. */
  readonly contextWindow: number | undefined
  readonly defaultModel: string | undefined
}

/** One attempt, as a coder needs to know it to build its command line. */
export interface Order {
  readonly model: string | undefined
  readonly cwd: string
  /** The agent's prompt, a file in the attempt's folder. */
  readonly promptFile: string
  /** For a coder whose task is a script: the script, and its file. */
  readonly script?: { readonly file: string; readonly text: string }
  /** The session to resume; absent: a new one, named `newSession` if the coder accepts a name. */
  readonly session?: string
  readonly newSession: string
  readonly permissions: 'full' | 'workspace' | 'settings'
  /** Folders outside cwd that it must be able to write to under any permissions: its artifacts and its inbox. */
  readonly writes?: readonly string[]
  readonly lean: boolean
  readonly isRoot: boolean
  /** The shell line to call at each of its hooks, for a coder with the trait. */
  readonly hooks?: Readonly<Record<HookEvent, string>>
}

export interface ReviewerOrder extends Pick<Order, 'model'> {
  /** The user's MCP servers, which may do anything: a reviewer starts none of them. Empty without `mcpServers`. */
  readonly servers: readonly string[]
}

export interface McpServers {
  /** The arguments with which the program prints them. */
  readonly args: readonly string[]
  /** undefined: the output is not what was expected. */
  named(output: string): readonly string[] | undefined
}

export interface Launch {
  /** The arguments of the binary. */
  readonly args: readonly string[]
  /** The content of stdin: the prompt file, or nothing. */
  readonly stdin: 'prompt' | 'closed'
  /**
   * Converts the prompt for a coder whose stdin is not plain text. The result becomes a second file in the attempt's
   * folder, beside prompt.md, and that file is stdin.
   */
  readonly promptAs?: (prompt: string) => string
  /** Added to the environment that every agent gets. */
  readonly env: Readonly<Record<string, string>>
  /** Further files to write beside the prompt, by name, such as settings for this run alone. */
  readonly files?: Readonly<Record<string, string>>
}
