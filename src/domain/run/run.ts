import type { NextStep } from '../task/next-step.ts'
import type { RecordedChanges } from './changes.ts'
import type { Usage } from './event.ts'
import type { Outcome, OutcomeCode } from './outcome.ts'

/** One attempt of one task, as the ledger has it. */
export interface Run {
  /** Also the marker in the environment of all its processes. */
  readonly id: string
  readonly task: string
  /** 1 for the first attempt of the task; names the folder `attempts/<n>`. */
  readonly attempt: number
  /** The claim it runs under. */
  readonly claimedBy: string
  readonly token: number
  readonly coder: string
  readonly model: string | null
  readonly lane: string
  readonly cwd: string
  readonly title: string
  readonly phase: RunPhase
  readonly startedAt: number
  readonly endedAt: number | null
  readonly proc: Proc | null
  /** Whether it was started in a pid namespace of its own. */
  readonly namespace: boolean
  /** The session it goes on with. */
  readonly resumes: string | null
  readonly outcome: Outcome | null
  /** What its task is to become, from the moment the outcome is known; null: nothing. */
  readonly next: NextStep | null
  readonly figures: Figures
}

/**
 * `launching`: in the ledger, perhaps not started yet. `checking`: its agent has gone, its checks run. `ended`: its outcome
 * is known, its task not settled yet. A run is open until it is `settled`.
 */
export type RunPhase = 'launching' | 'running' | 'stopping' | 'checking' | 'ended' | 'settled'

/** A pid alone is not an identity: pids are reused, also across reboots. */
export interface Proc {
  readonly pid: number
  /** In the kernel's own unit since boot, as /proc has it. */
  readonly startTime: string
  readonly bootId: string
}

/** How a process ended, as far as it is known. */
export type Exit =
  | { readonly kind: 'code'; readonly code: number }
  /** Nobody recorded it: judge by the stream. */
  | { readonly kind: 'unknown' }

/** What was seen of a run, and is not for agents to say afterwards. */
export interface Seen {
  /** sha256 of its launch record, which says what its work is compared with: it must be the same when it is judged. */
  readonly launch?: string
  /** Of what it had printed while it could still write to it, the same. */
  readonly stdout?: HashedPrefix
  /** What it had changed when it ended, and only while it ran. */
  readonly changed?: RecordedChanges
}

/** The first bytes of a file. */
export interface HashedPrefix {
  readonly bytes: number
  readonly sha256: string
}

/** What `fleet tasks` shows of a run; kept in the ledger while it runs. */
export interface Figures {
  readonly session: string | null
  /** As the coder said, which may differ from what was asked. */
  readonly servedModel: string | null
  readonly coderVersion: string | null
  readonly usage: Usage
  readonly costUsd: number | null
  /** Tokens of the largest prompt of this attempt, and of the last one. */
  readonly contextPeak: number | null
  readonly contextNow: number | null
  readonly contextWindow: number | null
  readonly events: number
  readonly toolCalls: number
  readonly lastEventAt: number | null
  readonly openTool: string | null
  /** true while usage is an estimate: the run has not told its totals. */
  readonly estimated: boolean
}

export const NO_FIGURES: Figures = {
  session: null,
  servedModel: null,
  coderVersion: null,
  usage: {},
  costUsd: null,
  contextPeak: null,
  contextNow: null,
  contextWindow: null,
  events: 0,
  toolCalls: 0,
  lastEventAt: null,
  openTool: null,
  estimated: true,
}

/** What the attempts at a task took together, without the waits between them; null, or no field: nothing is known. */
export interface Spent extends Pick<Figures, 'usage' | 'costUsd'> {
  readonly durationMs: number
}

/** What the ledger remembers of a task between its attempts. */
export interface TaskState {
  readonly task: string
  readonly attempts: number
  /** Counted ones. */
  readonly failures: number
  readonly stalls: number
  readonly handOvers: number
  /** The choice of the first attempt, kept for the later ones. */
  readonly coder: string | null
  readonly model: string | null
  /** To go on with, where the last attempt left one and resuming makes sense. */
  readonly session: string | null
  /** Why it is not running, when fleet itself keeps it waiting: `retry 2 of 3 at 14:02: no claim`. */
  readonly waiting: string | null
  readonly waitingUntil: number | null
  /** How long it was made to wait for a limit or an overload to pass that was met again after each wait, all in all. */
  readonly waitedMs: number
  readonly lastOutcome: Outcome | null
}

export function freshState(task: string): TaskState {
  return {
    task,
    attempts: 0,
    failures: 0,
    stalls: 0,
    handOvers: 0,
    coder: null,
    model: null,
    session: null,
    waiting: null,
    waitingUntil: null,
    waitedMs: 0,
    lastOutcome: null,
  }
}

export interface Lane {
  readonly name: string
  /** `paused`: until a time; `down`: until somebody mends it. */
  readonly state: 'up' | 'paused' | 'down'
  readonly until: number | null
  readonly code: OutcomeCode | null
  readonly reason: string | null
  /** Since when it is in this trouble; of one that is `up`: when its pause was over. */
  readonly since: number
  /** While it recovers from more than it could bear: so many agents at once. Absent: no bound of its own. */
  readonly cap?: number
}

export interface Question {
  readonly id: number
  readonly task: string
  readonly run: string
  readonly askedAt: number
  readonly text: string
  readonly options: readonly string[]
  /** A suggestion to the person, never applied by time. */
  readonly suggestion: string | null
  readonly answeredAt: number | null
  readonly answeredBy: string | null
  readonly answer: string | null
}

/** What somebody outside asks of the supervisor. */
export interface Request {
  readonly id: number
  readonly kind: 'kill' | 'pause-task' | 'drain'
  /** '' where it concerns no single task. */
  readonly task: string
  readonly by: string
  readonly askedAt: number
  readonly doneAt: number | null
  /** What was done, for the person who waits. */
  readonly answer: string | null
}
