import type { Stall } from './diagnosis/cause.ts'

/**
 * Why an attempt ended, as a value, and what that means for its task: one table, so that a new code without a decision
 * does not compile.
 */
export type OutcomeCode = keyof typeof RULES

export interface Outcome {
  readonly code: OutcomeCode
  /** One sentence for people and for the next attempt. */
  readonly text: string
  /** Further facts for the next attempt: the failing part of a check's output. Bounded. */
  readonly details?: string
  /** The cause of a stall, and what the supervisor saw. */
  readonly stall?: Stall
  /** The last calls of an agent that went in circles, oldest first. */
  readonly sequence?: readonly string[]
  /** When a limit resets, in milliseconds. */
  readonly resetsAt?: number
  /** The person who killed or paused it. */
  readonly by?: string
  /** The session must not be resumed, whatever the table says. */
  readonly fresh?: boolean
  /** The model answered nothing: it refused the first request. */
  readonly unanswered?: true
  /** The `permissions` that a denied run had. */
  readonly under?: string
  /** Of `out-of-scope`: the outcome that it has once a person lets its work through. */
  readonly otherwise?: Outcome
  /** How many attempts in a row ended with this code, where that is bounded; absent: one. */
  readonly times?: number
}

/** The task's fate after its run. */
export type Fate =
  /** The work has the required evidence. */
  | 'close'
  /** Another attempt after a delay; after `max_attempts` the task is blocked with the reason. */
  | 'retry'
  /** The session goes on after a moment, unless it happened INTERRUPTS times in a row: then blocked. */
  | 'go-on'
  /** A new session continues from the artifacts, at most HAND_OVERS times. */
  | 'hand-over'
  /** Blocked until a person answers. */
  | 'park'
  /** The lane pauses; the task waits, then resumes its session. */
  | 'wait'
  /** The lane is down until a person fixes the cause; the task waits. */
  | 'lane-down'
  /** Blocked until a person decides. */
  | 'block'
  /** Blocked until its work is on its target branch; then closed. */
  | 'land'
  /** Blocked, and no other task of the lane is tried with this model until something has changed. */
  | 'refuse-model'
  /** Back to its agent, at most BOUNCES times. */
  | 'bounce'
  /** Open again, as if the run had not happened. */
  | 'open'
  /** Nothing: the task is no longer ours. */
  | 'nothing'

export interface Rule {
  /** Whether it counts towards `max_attempts`. `repeated`: from the second time on. */
  readonly counted: 'yes' | 'no' | 'repeated'
  readonly fate: Fate
  /** Whether the next attempt resumes the session, if the coder can. */
  readonly resume: 'yes' | 'no' | 'first-time'
}

export const RULES = {
  done: { counted: 'no', fate: 'close', resume: 'no' },
  error: { counted: 'yes', fate: 'retry', resume: 'no' },
  /** The process is gone without a known exit, or something outside fleet killed it. */
  lost: { counted: 'yes', fate: 'retry', resume: 'yes' },
  /** Something outside fleet interrupted it, as Ctrl-C does. */
  interrupted: { counted: 'no', fate: 'go-on', resume: 'yes' },
  'no-claim': { counted: 'yes', fate: 'retry', resume: 'yes' },
  'no-evidence': { counted: 'yes', fate: 'retry', resume: 'yes' },
  /** The agent locked, removed or replaced what fleet records of its run. A new session may behave. */
  'evidence-destroyed': { counted: 'yes', fate: 'retry', resume: 'no' },
  /** The folder of the task is damaged, and fleet cannot repair it. */
  'unusable-folder': { counted: 'no', fate: 'block', resume: 'no' },
  /** The coder's permissions denied calls, and it fell short without them. Unchanged, the next attempt would too. */
  denied: { counted: 'no', fate: 'block', resume: 'yes' },
  'verify-failed': { counted: 'yes', fate: 'retry', resume: 'yes' },
  'no-progress': { counted: 'yes', fate: 'retry', resume: 'no' },
  stalled: { counted: 'repeated', fate: 'retry', resume: 'first-time' },
  /** It made the same calls with the same results, or said the same, and nothing new. A new session may find another way. */
  looping: { counted: 'yes', fate: 'retry', resume: 'no' },
  'wall-clock': { counted: 'yes', fate: 'retry', resume: 'yes' },
  /** Its processes used more memory than limits.memory: the same work in smaller steps may fit. */
  'out-of-memory': { counted: 'yes', fate: 'retry', resume: 'yes' },
  'no-session': { counted: 'no', fate: 'hand-over', resume: 'no' },
  'context-full': { counted: 'no', fate: 'hand-over', resume: 'no' },
  question: { counted: 'no', fate: 'park', resume: 'yes' },
  'usage-limit': { counted: 'no', fate: 'wait', resume: 'yes' },
  overload: { counted: 'no', fate: 'wait', resume: 'yes' },
  network: { counted: 'no', fate: 'wait', resume: 'yes' },
  /** Several agents of its lane fell silent together, or the one that was to try the lane again. */
  'provider-silent': { counted: 'no', fate: 'wait', resume: 'yes' },
  login: { counted: 'no', fate: 'lane-down', resume: 'yes' },
  billing: { counted: 'no', fate: 'lane-down', resume: 'yes' },
  'bad-model': { counted: 'no', fate: 'refuse-model', resume: 'no' },
  'bad-flag': { counted: 'no', fate: 'lane-down', resume: 'no' },
  'missing-binary': { counted: 'no', fate: 'lane-down', resume: 'no' },
  /** The program exists, but this machine cannot run it: no interpreter, or the wrong architecture. */
  'broken-binary': { counted: 'no', fate: 'lane-down', resume: 'yes' },
  budget: { counted: 'no', fate: 'block', resume: 'yes' },
  killed: { counted: 'no', fate: 'block', resume: 'yes' },
  /** A person's message came that it had not read when it ended, or was interrupted for it. */
  told: { counted: 'no', fate: 'open', resume: 'yes' },
  /** A person paused this task; it keeps its session. */
  paused: { counted: 'no', fate: 'block', resume: 'yes' },
  /** Nothing is wrong, but only a person can say that the task is done. */
  'needs-review': { counted: 'no', fate: 'block', resume: 'yes' },
  /** A reviewer sent it back with its reasons. A person who does so decides about the task, and the run keeps its outcome. */
  'review-rejected': { counted: 'yes', fate: 'retry', resume: 'yes' },
  /** It changed what it was to leave alone. A person lets the same work through, or sends it back. */
  'out-of-scope': { counted: 'no', fate: 'block', resume: 'yes' },
  /** Its work has passed, and is closed when it is on its target branch. */
  'needs-landing': { counted: 'no', fate: 'land', resume: 'yes' },
  /** Its work has passed, but cannot be brought onto its target branch as that is by now. */
  conflict: { counted: 'no', fate: 'bounce', resume: 'yes' },
  'missing-cwd': { counted: 'no', fate: 'block', resume: 'no' },
  /** It is to run in a worktree, and none can be made of its directory. */
  'no-worktree': { counted: 'no', fate: 'block', resume: 'yes' },
  /** The project's setup of a new worktree failed, so no agent was started. */
  'setup-failed': { counted: 'yes', fate: 'retry', resume: 'yes' },
  'bad-settings': { counted: 'no', fate: 'block', resume: 'no' },
  /** The supervisor stopped. */
  stopped: { counted: 'no', fate: 'open', resume: 'yes' },
  /**
   * The shared queue was unreachable, or the supervisor did not run, for nearly as long as the lease, so another machine may
   * claim the task.
   */
  'cut-off': { counted: 'no', fate: 'open', resume: 'yes' },
  'machine-lost': { counted: 'no', fate: 'open', resume: 'yes' },
  /** The supervisor ended between the claim and the start of the agent. */
  'never-started': { counted: 'no', fate: 'open', resume: 'yes' },
  /** A person closed, reopened, reassigned or deleted the task during the run, or its lease expired. */
  'taken-away': { counted: 'no', fate: 'nothing', resume: 'no' },
} as const satisfies Record<string, Rule>

/** The most hand-overs of one task. */
export const HAND_OVERS = 10

/** The most interrupts of one task in a row. */
export const INTERRUPTS = 3

/** The most stalls of one task in a row, whatever `max_attempts` is. */
export const STALLS = 3

/** The most conflicts of one task with its target branch. */
export const BOUNCES = 5

/** Its work passed all that was asked of it, also if it has yet to reach its target branch. */
export function isPassed(code: OutcomeCode | undefined): boolean {
  return code === 'done' || code === 'needs-landing'
}
