import type { AgentVariables } from '../domain/agent/withholding.ts'
import type { Coder } from '../ports/coder.ts'
import type { LoginRule } from './shared/login.ts'

/**
 * Everything fleet knows about one coder: names, help texts, the check of runtime.toml, doctor's findings, the environment
 * of agents and the reference page follow from it. Every command loads all descriptors, so a descriptor imports nothing but
 * types; `load` and `login` import the rest when it is needed.
 */
export interface CoderDescriptor {
  readonly name: string
  /** The program on PATH. Absent: fleet runs the script of a task itself. */
  readonly program?: string
  /** The model of a task that names none. Absent: the CLI chooses. */
  readonly defaultModel?: string
  /** Tokens, where the stream reports no size. */
  readonly contextWindow?: number
  /** CPU milliseconds of one start, as measured (docs/guide/coders.md). */
  readonly startCostMs?: number
  /** The variables that steer this coder or pay for it. No agent inherits them from the supervisor. */
  readonly variables: AgentVariables
  /** A condition of running unattended as root, for people; follows the name of the coder. */
  readonly asRoot?: string
  /** Where its CLI keeps its logins, settings and sessions: in a sandbox it reads and writes them, and no other coder does. */
  readonly stores?: readonly CoderStore[]
  load(): Promise<Coder>
  /** How doctor finds the account that pays. Absent: the coder needs none. */
  login?(): Promise<LoginRule>
  readonly knowledge: Knowledge
}

/** A file or folder below the user's home directory, or where a variable says. */
export interface CoderStore {
  readonly path: string
  readonly variable?: string
  /** Below the folder that the variable names. */
  readonly below?: string
  /** It is the program, which an agent does not write. */
  readonly isProgram?: true
  /** Files in it that a person's CLI and other agents obey, with what to write there if they are not there. */
  readonly settings?: Readonly<Record<string, string>>
  /** Folders in it with what a person's CLI and other agents run. */
  readonly run?: readonly string[]
}

/** The facts on the reference page, in words for people. */
export interface Knowledge {
  /** true: recordings of the real program test the parser and the verdict. */
  readonly proven: boolean
  /** The events in its output. */
  readonly events: string
  /** How fleet recognises a usage limit, and when the limit lifts. */
  readonly limits: string
  /** The source of the size of the context window. */
  readonly window: string
  /** How to continue an earlier session. */
  readonly resume: string
  /** How a person's message reaches it while it works. Absent: it reads messages in its next prompt. */
  readonly messages?: string
  /** How to stop it. */
  readonly kill: string
  /** Assumptions without a test. */
  readonly untried?: readonly string[]
}
