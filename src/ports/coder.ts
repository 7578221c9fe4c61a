import type { Digest } from '../domain/run/digest.ts'
import type { CoderEvent } from '../domain/run/event.ts'
import type { Outcome } from '../domain/run/outcome.ts'
import type { Exit } from '../domain/run/run.ts'

/** A CLI agent, as far as the supervisor needs to know it. Every member is pure: no file, no clock, no process. */
export interface Coder {
  readonly name: string
  /** Without it on PATH nothing can be started; looked for before a task is begun. */
  readonly binary: string
  readonly traits: CoderTraits
  /** By what its stream calls the payer: the variable that somebody must have given for it. */
  readonly payers?: Readonly<Record<string, string>>
  /**
   * What it is in that version, as `<binary> --version` prints it, where versions differ in how they are called or what
   * they print. Asked once per binary by whoever hands the coder out; without an answer it is taken as it stands.
   */
  forVersion?(version: string): Coder
  /** Its stream never tells its version: `<binary> --version` is asked for the record. */
  readonly versionUntold?: true
  /** Tokens of a model's window, for a stream that does not tell it; undefined: the default of the traits. */
  windowOf?(model: string): number | undefined
  launch(order: Order): Launch
  /** One line of its stdout, without the newline. Never throws; what it does not know is `unknown`. */
  parse(line: string): readonly CoderEvent[]
  /**
   * What the coder's own words and its exit say: `finished` is not `done`, it is only the absence of trouble; claim and
   * evidence are judged by the supervisor. Order: error fields, result, pending background work, exit code.
   */
  verdict(exit: Exit, digest: Digest, stderrTail: string): Verdict
  /** Absent: its stdout says all there is. */
  readonly sidecar?: Sidecar
}

/**
 * A file that the coder itself writes about a session, beside its stdout, and that tells what its stdout does not. Its
 * events and those of stdout are folded into one digest, in whatever order they come: nothing is counted twice.
 */
export interface Sidecar {
  /** Where it is, once the session is known. undefined: nobody can say. */
  place(run: SidecarRun): SidecarPlace | undefined
  /**
   * A reader of its lines from the first byte on, each without its newline. The file of a resumed session begins with
   * earlier runs, of which the reader only tells what they had used. What it tells is a function of the lines: read again,
   * by another supervisor, it tells the same. Never throws; a line of no consequence tells nothing.
   */
  reader(run: SidecarRun): (line: string) => readonly CoderEvent[]
}

export interface SidecarRun {
  readonly session: string
  /** Milliseconds; before the agent was started and after all earlier runs of its session had gone. */
  readonly startedAt: number
  /** What the agent was given. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * In the first of these folders that has one: the file whose name has this end, the first by name where several have it.
 * It appears some time after the session.
 */
export interface SidecarPlace {
  readonly folders: readonly string[]
  /** Not in them, but in the folder of this name of each folder that is in them. */
  readonly inEach?: string
  readonly nameEnd: string
}

export type Verdict = { readonly kind: 'finished' } | { readonly kind: 'failed'; readonly outcome: Outcome }

export interface CoderTraits {
  /** `explicit`: says it is done by `fleet done`; `exit`: exit status 0 says so. */
  readonly claim: 'explicit' | 'exit'
  /** The supervisor runs the script itself, so that exit 0 is the evidence, and no prompt is made. */
  readonly evidence: 'work' | 'exit'
  /** Can go on with an earlier session. */
  readonly resume: boolean
  /** Its stdout is a stream of events, one JSON document a line; otherwise text. */
  readonly stream: 'json' | 'text'
  /** Tokens, where the stream says nothing better. */
  readonly contextWindow: number | undefined
  readonly defaultModel: string | undefined
}

/** What is asked of a coder for one attempt. */
export interface Order {
  readonly model: string | undefined
  readonly cwd: string
  /** What the agent is told, as a file in the attempt's folder. */
  readonly promptFile: string
  /** For a coder whose task is a script: the script, and the file it stands in. Absent for the others. */
  readonly script?: { readonly file: string; readonly text: string }
  /** The session to go on with; absent: a new one, called `newSession` where the coder lets itself be told. */
  readonly session?: string
  readonly newSession: string
  readonly permissions: 'full' | 'workspace' | 'settings'
  /** Folders outside cwd that it must be able to write to, whatever the permissions: its artifacts and its inbox. */
  readonly writes?: readonly string[]
  readonly lean: boolean
  readonly isRoot: boolean
}

export interface Launch {
  /** What follows the binary. */
  readonly args: readonly string[]
  /** What stdin reads: the prompt file, or nothing. */
  readonly stdin: 'prompt' | 'closed'
  /**
   * The form in which stdin wants the prompt, where that is not the text itself: what this makes of the prompt stands in a
   * file of its own in the attempt's folder, beside prompt.md, and that file is stdin.
   */
  readonly promptAs?: (prompt: string) => string
  /** On top of the environment every agent gets. */
  readonly env: Readonly<Record<string, string>>
  /** By name: what it wants to find beside its prompt, such as settings for this run alone. */
  readonly files?: Readonly<Record<string, string>>
}
