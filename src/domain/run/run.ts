import type { InboxItem } from '../agent/inbox.ts'
import type { KeptTrace } from '../evidence/trace.ts'
import type { NextStep } from '../task/next-step.ts'
import type { RecordedChanges } from './changes.ts'
import type { Silence } from './diagnosis/diagnose.ts'
import type { Usage } from './event.ts'
import type { Outcome, OutcomeCode } from './outcome.ts'
import type { Receipt } from './receipt.ts'

/** One attempt at one task, as stored in the ledger. */
export interface Run {
  /** Also the marker in the environment of all processes of the run. */
  readonly id: string
  readonly task: string
  /** 1 for the first attempt at the task; names the folder `attempts/<n>`. */
  readonly attempt: number
  /** `claimedBy` and `token`: the claim it runs under. */
  readonly claimedBy: string
  readonly token: number
  readonly coder: string
  readonly model: string | null
  readonly lane: string
  /** Where its agent works. */
  readonly cwd: string
  /** The directory of its task, by which its project's settings are chosen: `cwd`, but for a run in a worktree. */
  readonly project: string
  readonly title: string
  readonly phase: RunPhase
  readonly startedAt: number
  readonly endedAt: number | null
  readonly proc: Proc | null
  /** Whether it was started in its own pid namespace. */
  readonly namespace: boolean
  /** The session it resumes. */
  readonly resumes: string | null
  readonly outcome: Outcome | null
  /** The next step of its task. null until the outcome is known, and if fleet must not touch the task. */
  readonly next: NextStep | null
  readonly figures: Figures
}

/**
 * `launching`: in the ledger, but perhaps not started yet. `checking`: its agent has gone, its checks run. `ended`: the
 * outcome is known, but the task is not settled yet. A run is open until it is `settled`.
 */
export type RunPhase = 'launching' | 'running' | 'stopping' | 'checking' | 'ended' | 'settled'

/** A pid alone is not an identity: pids are reused, also across reboots. */
export interface Proc {
  readonly pid: number
  /** In the kernel's unit since boot, as in /proc; or `@` and seconds since 1970, as `ps` tells it. */
  readonly startTime: string
  readonly bootId: string
}

/** How a process ended. `from`: only its exit file tells, because no supervisor was there. */
export type Exit =
  | { readonly kind: 'code'; readonly code: number; readonly from?: 'file' }
  /** The exit was not recorded: judge by the stream. */
  | { readonly kind: 'unknown' }

/** Observations recorded while a run was under way, which an agent cannot change afterwards. */
export interface Seen extends Traces {
  /** sha256 of launch.json, which holds the state its work is compared with. It must be unchanged when the run is judged. */
  readonly launch?: string
  /** Device and inode of the file that its stdout went to. */
  readonly output?: string
  /** Its exit file has a key. Absent for a run that an older fleet started. */
  readonly keyed?: boolean
  /** The public half of the key that its letters are signed with; absent: an older fleet started it. */
  readonly letterCheck?: string
  /** The output read while the run was alive. It must be unchanged when the run is judged. */
  readonly stdout?: HashedPrefix
  /** Its processes, as the last look that showed a change saw them: for recognising them again without their marker. */
  readonly family?: string
  /** The run's own changes, as seen when it ended. */
  readonly changed?: RecordedChanges
  /** All paths that it may have changed, weak and untraced changes included. */
  readonly touched?: readonly string[]
}

/** Traces of a run's work: for the next supervisor, and for telling its changes from those of other runs. */
export interface Traces {
  /** Absent: its coder shows no tools. */
  readonly work?: KeptTrace
  readonly named?: readonly string[]
}

/** The records of a run that the ledger keeps itself: the files in its folder are copies, and its agent can write there. */
export interface RunRecords {
  /** The text of launch.json; undefined: it is too long, and `Seen` has its hash alone. */
  readonly launch: string | undefined
  readonly receipt: Receipt | undefined
  /** The last ones, oldest first. */
  readonly letters: readonly KeptLetter[]
}

/** A letter that was taken in. */
export interface KeptLetter {
  /** The name of its file. */
  readonly name: string
  /** When the agent wrote it, by its own clock. */
  readonly at: number
  /** Of its file. */
  readonly sha256: string
  readonly item: InboxItem
}

/** The first `bytes` bytes of a file, and their hash. */
export interface HashedPrefix {
  readonly bytes: number
  readonly sha256: string
}

/** The figures that `fleet tasks` shows; updated in the ledger during the run. */
export interface Figures {
  readonly session: string | null
  /** The model that the coder reported, which may differ from the requested one. */
  readonly servedModel: string | null
  readonly coderVersion: string | null
  readonly usage: Usage
  readonly costUsd: number | null
  /** Tokens of the largest prompt of this attempt (peak) and of its last prompt (now). */
  readonly contextPeak: number | null
  readonly contextNow: number | null
  readonly contextWindow: number | null
  readonly events: number
  readonly toolCalls: number
  readonly lastEventAt: number | null
  readonly openTool: string | null
  /** Of a silent run, as the supervisor last saw it; null: it is not silent, or not for long. */
  readonly silence: Silence | null
  /** true while usage is an estimate, because the run has not reported its totals. */
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
  silence: null,
  estimated: true,
}

/** The state of a task between its attempts, kept in the ledger. */
export interface TaskState {
  readonly task: string
  readonly attempts: number
  /** Failed attempts that count towards `max_attempts`. */
  readonly failures: number
  /** In a row: an attempt that fails otherwise ends it. */
  readonly stalls: number
  readonly handOvers: number
  /** `coder` and `model`: the choice of the first attempt, kept for later attempts. */
  readonly coder: string | null
  readonly model: string | null
  /** The session to resume; null if there is none, or resuming it makes no sense. */
  readonly session: string | null
  /** Why fleet keeps the task waiting: `retry 2 of 3 at 14:02: no claim`. */
  readonly waiting: string | null
  /** null exactly if `waiting` is. */
  readonly waitingKind: WaitKind | null
  readonly waitingUntil: number | null
  /** The total wait for a limit or overload that was still in force after each wait. */
  readonly waitedMs: number
  readonly lastOutcome: Outcome | null
}

/**
 * `retry`: until the time of its next attempt; `lane`: until its lane works again; `refused`: it cannot be started as it
 * is; `paused`: a person paused it.
 */
export type WaitKind = 'retry' | 'lane' | 'refused' | 'paused'

export const NOT_WAITING = { waiting: null, waitingKind: null, waitingUntil: null } as const

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
    ...NOT_WAITING,
    waitedMs: 0,
    lastOutcome: null,
  }
}

export interface Lane {
  readonly name: string
  /** `paused`: until a time; `down`: until a person fixes the cause. */
  readonly state: 'up' | 'paused' | 'down'
  readonly until: number | null
  readonly code: OutcomeCode | null
  readonly reason: string | null
  /** When the current trouble began. For a lane that is `up`: when its last pause ended. */
  readonly since: number
  /** The most agents at once while the lane recovers from an overload. Absent: no limit. */
  readonly cap?: number
}

export interface Question {
  readonly id: number
  readonly task: string
  readonly run: string
  readonly askedAt: number
  readonly text: string
  readonly options: readonly string[]
  /** A suggestion to the person; never applied automatically. */
  readonly suggestion: string | null
  readonly answeredAt: number | null
  readonly answeredBy: string | null
  readonly answer: string | null
}

/** A request from a person to the supervisor. */
export interface Request {
  readonly id: number
  readonly kind: 'kill' | 'pause-task' | 'tell-now' | 'drain'
  /** '' if the request is not about one task. */
  readonly task: string
  readonly by: string
  readonly askedAt: number
  readonly doneAt: number | null
  /** `withdrawn`: nobody acted on it, and nobody will. null: pending. */
  readonly ending: 'done' | 'withdrawn' | null
  /** The answer, or the reason for the withdrawal, for the person who waits. */
  readonly answer: string | null
}
