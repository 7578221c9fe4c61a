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
}

/** What becomes of the task after its run. */
export type Then =
  /** It reached the evidence it needs. */
  | 'close'
  /** Another attempt after a spaced wait; at the bound blocked with the reason. */
  | 'again'
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
  readonly then: Then
  /** Whether the next attempt goes on with the same session where the coder can. */
  readonly resume: 'yes' | 'no' | 'first-time'
}

export const RULES = {
  done: { counted: 'no', then: 'close', resume: 'no' },
  error: { counted: 'yes', then: 'again', resume: 'no' },
  /** The process went without telling how: killed from outside, or its exit is unknown. */
  lost: { counted: 'yes', then: 'again', resume: 'yes' },
  'no-claim': { counted: 'yes', then: 'again', resume: 'yes' },
  'no-evidence': { counted: 'yes', then: 'again', resume: 'yes' },
  'verify-failed': { counted: 'yes', then: 'again', resume: 'yes' },
  'no-progress': { counted: 'yes', then: 'again', resume: 'no' },
  stalled: { counted: 'repeated', then: 'again', resume: 'first-time' },
  'wall-clock': { counted: 'yes', then: 'again', resume: 'yes' },
  'no-session': { counted: 'no', then: 'hand-over', resume: 'no' },
  'context-full': { counted: 'no', then: 'hand-over', resume: 'no' },
  question: { counted: 'no', then: 'park', resume: 'yes' },
  'usage-limit': { counted: 'no', then: 'wait', resume: 'yes' },
  overload: { counted: 'no', then: 'wait', resume: 'yes' },
  network: { counted: 'no', then: 'wait', resume: 'yes' },
  login: { counted: 'no', then: 'lane-down', resume: 'yes' },
  billing: { counted: 'no', then: 'lane-down', resume: 'yes' },
  'bad-model': { counted: 'no', then: 'lane-down', resume: 'no' },
  'bad-flag': { counted: 'no', then: 'lane-down', resume: 'no' },
  'missing-binary': { counted: 'no', then: 'lane-down', resume: 'no' },
  budget: { counted: 'no', then: 'block', resume: 'yes' },
  killed: { counted: 'no', then: 'block', resume: 'yes' },
  /** A person paused this one task: it keeps its session and waits. */
  paused: { counted: 'no', then: 'block', resume: 'yes' },
  /** Evidenced, but closing it takes more than fleet can find out by itself. */
  'needs-review': { counted: 'no', then: 'block', resume: 'yes' },
  'missing-cwd': { counted: 'no', then: 'block', resume: 'no' },
  'bad-settings': { counted: 'no', then: 'block', resume: 'no' },
  /** The supervisor stopped. */
  stopped: { counted: 'no', then: 'open', resume: 'yes' },
  'machine-lost': { counted: 'no', then: 'open', resume: 'yes' },
  /** Claimed, and the supervisor ended before the agent was started. */
  'never-started': { counted: 'no', then: 'open', resume: 'yes' },
  /** A person closed, reopened, reassigned or deleted the task meanwhile. */
  'taken-away': { counted: 'no', then: 'nothing', resume: 'no' },
} as const satisfies Record<string, Rule>

/** Context hand-overs of one task. */
export const HAND_OVERS = 10
