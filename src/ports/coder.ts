import type { Digest } from '../domain/digest.ts'
import type { CoderEvent } from '../domain/event.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Exit } from '../domain/run.ts'

/** A CLI agent, as far as the supervisor needs to know it. Every member is pure: no file, no clock, no process. */
export interface Coder {
  readonly name: string
  /** Without it on PATH nothing can be started; looked for before a task is begun. */
  readonly binary: string
  readonly traits: CoderTraits
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
  /** On top of the environment every agent gets. */
  readonly env: Readonly<Record<string, string>>
  /** By name: what it wants to find beside its prompt, such as settings for this run alone. */
  readonly files?: Readonly<Record<string, string>>
}
