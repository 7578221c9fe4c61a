/**
 * Why an attempt ended, as a value, and what that means for its task: one table, so that a new code without a decision
 * does not compile.
 */
export type OutcomeCode = keyof typeof RULES

export interface Outcome {
  readonly code: OutcomeCode
  /** For people and for the next attempt: what was seen, in a sentence. */
  readonly text: string
  /** When a limit lifts, in milliseconds. */
  readonly resetsAt?: number
  /** Who killed or stopped it. */
  readonly by?: string
  /** Its session is not to be gone on with, whatever the table says. */
  readonly fresh?: boolean
}

/** What becomes of the task after its run. */
export type Fate =
  /** It reached the evidence it needs. */
  | 'close'
  /** Another attempt after a spaced wait; at the bound blocked with the reason. */
  | 'retry'
  /** A fresh attempt from the artifacts, at most HAND_OVERS times. */
  | 'hand-over'
  /** Blocked until somebody answers. */
  | 'park'
  /** Its lane is paused; the task waits and its session is resumed. */
  | 'wait'
  /** Its lane is down until somebody mends it; the task waits. */
  | 'lane-down'
  /** Blocked until a person decides. */
  | 'block'
  /** Open again as if nothing had been. */
  | 'open'
  /** Nothing: it is somebody else's now. */
  | 'nothing'

export interface Rule {
  /** Towards max_attempts. `repeated`: the first one is free. */
  readonly counted: 'yes' | 'no' | 'repeated'
  readonly fate: Fate
  /** Whether the next attempt goes on with the same session where the coder can. */
  readonly resume: 'yes' | 'no' | 'first-time'
}

export const RULES = {
  done: { counted: 'no', fate: 'close', resume: 'no' },
  error: { counted: 'yes', fate: 'retry', resume: 'no' },
  /** The process went without telling how: killed from outside, or its exit is unknown. */
  lost: { counted: 'yes', fate: 'retry', resume: 'yes' },
  'no-claim': { counted: 'yes', fate: 'retry', resume: 'yes' },
  'no-evidence': { counted: 'yes', fate: 'retry', resume: 'yes' },
  'verify-failed': { counted: 'yes', fate: 'retry', resume: 'yes' },
  'no-progress': { counted: 'yes', fate: 'retry', resume: 'no' },
  stalled: { counted: 'repeated', fate: 'retry', resume: 'first-time' },
  'wall-clock': { counted: 'yes', fate: 'retry', resume: 'yes' },
  'no-session': { counted: 'no', fate: 'hand-over', resume: 'no' },
  'context-full': { counted: 'no', fate: 'hand-over', resume: 'no' },
  question: { counted: 'no', fate: 'park', resume: 'yes' },
  'usage-limit': { counted: 'no', fate: 'wait', resume: 'yes' },
  overload: { counted: 'no', fate: 'wait', resume: 'yes' },
  network: { counted: 'no', fate: 'wait', resume: 'yes' },
  login: { counted: 'no', fate: 'lane-down', resume: 'yes' },
  billing: { counted: 'no', fate: 'lane-down', resume: 'yes' },
  'bad-model': { counted: 'no', fate: 'lane-down', resume: 'no' },
  'bad-flag': { counted: 'no', fate: 'lane-down', resume: 'no' },
  'missing-binary': { counted: 'no', fate: 'lane-down', resume: 'no' },
  /** It is there, and the machine cannot run it: no interpreter, another machine's program. */
  'broken-binary': { counted: 'no', fate: 'lane-down', resume: 'yes' },
  budget: { counted: 'no', fate: 'block', resume: 'yes' },
  killed: { counted: 'no', fate: 'block', resume: 'yes' },
  /** A person paused this one task: it keeps its session and waits. */
  paused: { counted: 'no', fate: 'block', resume: 'yes' },
  /** Evidenced, but closing it takes more than fleet can find out by itself. */
  'needs-review': { counted: 'no', fate: 'block', resume: 'yes' },
  'missing-cwd': { counted: 'no', fate: 'block', resume: 'no' },
  'bad-settings': { counted: 'no', fate: 'block', resume: 'no' },
  /** The supervisor stopped. */
  stopped: { counted: 'no', fate: 'open', resume: 'yes' },
  /** It could not be kept: the queue that others share was out of reach for nearly as long as its lease. */
  'cut-off': { counted: 'no', fate: 'open', resume: 'yes' },
  'machine-lost': { counted: 'no', fate: 'open', resume: 'yes' },
  /** Claimed, and the supervisor ended before the agent was started. */
  'never-started': { counted: 'no', fate: 'open', resume: 'yes' },
  /** A person closed, reopened, reassigned or deleted the task meanwhile, or its lease ran out. */
  'taken-away': { counted: 'no', fate: 'nothing', resume: 'no' },
} as const satisfies Record<string, Rule>

/** Context hand-overs of one task. */
export const HAND_OVERS = 10
