import type { InboxItem } from '../agent/inbox.ts'
import type { CheckVerdict } from '../run/check-result.ts'
import type { OutcomeCode } from '../run/outcome.ts'
import type { Lane, RunPhase } from '../run/run.ts'
import type { NextStep } from '../task/next-step.ts'
import type { CommandEnd } from '../verify/verification.ts'
import type { StoreLoss } from './store-loss.ts'

/**
 * Every event of the supervisor's log: its name and its fields. The names are a contract with programs that read
 * `fleet log`; the sentences for people stand in cli/render/log-event.ts.
 */
export interface LogEvents {
  'supervisor-started': { readonly adopted: number }
  /** The supervisor has ended before it began. */
  'start-failed': { readonly why: string }
  /** The supervisor waits for the server of its queue, and starts when it answers. */
  'queue-not-ready': { readonly why: string }
  draining: NoFields
  stopping: { readonly runs: number; readonly atOnce: boolean }
  /** The agents keep running; the next supervisor adopts them. */
  'agents-left-running': { readonly runs: number }
  /** The next supervisor continues them. */
  'checks-left-waiting': { readonly runs: number }
  /** A file of the home is no longer the one that was opened: the supervisor ends, and its agents are stopped or kept. */
  'store-lost': StoreLoss & { readonly runs: number; readonly agents: 'stop' | 'keep' }
  /** It ended although the queue has not heard of these runs' outcomes; the next supervisor settles them. */
  'ended-before-settling': { readonly runs: number }
  /** The foreground output of `fleet run` could not be written. */
  'output-failed': { readonly why: string }
  'work-failed': { readonly what: string; readonly why: string; readonly stack?: string | undefined }
  'config-reloaded': NoFields
  /** The last good configuration stays in force. */
  'config-invalid': { readonly why: string }
  /** runtime.toml has settings that are not available yet. Each is told once. */
  'config-without-effect': { readonly keys: readonly string[] }
  /** It is not in force until a person decides. `runs`: those that were open. */
  'file-changed': { readonly file: string; readonly runs: readonly string[] }
  /** Something else than fleet changed a file of fleet's own, and fleet has put it right. */
  'file-repaired': { readonly file: string; readonly runs: readonly string[] }
  'clock-set-back': { readonly by_ms: number }
  'clock-set-forward': { readonly by_ms: number }
  /** Agents are run without it. `effect`: the difference it makes, for people. */
  'program-missing': { readonly program: string; readonly effect: string }
  'processes-hidden': { readonly effect: string; readonly todo: string }
  /** From now on the supervisor starts agents itself. */
  'launcher-gone': NoFields
  /** The dead man's switch has ended or hangs; another one is started. */
  'switch-gone': NoFields
  /** The raw output of old attempts was compressed or removed, as [retention] says. */
  'output-retired': {
    readonly compressed: number
    readonly removed: number
    readonly logs: number
    readonly leftovers: number
    readonly bytes: number
    /** Tasks whose folders could not be read or changed. */
    readonly skipped: number
  }

  /** Fewer agents than `max_concurrent` are started. */
  'machine-lacks': { readonly what: string }
  'claiming-stopped': { readonly why: string; readonly paused?: Paused | undefined }
  'claiming-resumed': NoFields
  'task-refused': { readonly task: string; readonly code: OutcomeCode; readonly why: string }
  'orphaned-claim-released': { readonly task: string }
  'expired-claims-reopened': { readonly tasks: readonly string[] }
  /** The permissions that had denied what they need have changed. */
  'denied-tasks-opened': { readonly tasks: readonly string[] }
  /** The run uses the clone as it is. */
  'clone-not-updated': { readonly task: string; readonly why: string }
  /** Said once: worktrees would keep them apart. */
  'checkout-shared': { readonly repository: string; readonly tasks: readonly string[] }
  /** Files that git ignores, which the user names. */
  'worktree-files-brought': { readonly task: string; readonly count: number }
  'worktree-made': { readonly task: string; readonly path: string; readonly branch: string }
  /** Their tasks are closed, and their work has landed or is none. */
  'worktrees-removed': { readonly tasks: readonly string[] }
  /** `exit` is absent: it was stopped, or took too long. */
  'worktree-set-up': { readonly task: string; readonly run: string; readonly exit?: number | undefined }
  /** The uncommitted work of its agent. `committed`: to its branch; `astray`: under a ref of its own; `failed`: nowhere. */
  'work-kept': { readonly task: string; readonly run: string; readonly how: 'committed' | 'astray' | 'failed' }

  'run-started': OfRun & {
    readonly title: string
    readonly attempt: number
    readonly coder: string
    readonly pid: number
  }
  /** By a supervisor that has just started. */
  'run-found': OfRun & { readonly attempt: number; readonly was: RunPhase; readonly is: Finding }
  'run-ended': OfRun & {
    readonly title: string
    readonly attempt: number
    readonly outcome: OutcomeCode | undefined
    readonly why: string | undefined
    readonly becomes: NextStep['to'] | undefined
    /** false: another claimer has the task, so this end was not settled. */
    readonly ours: boolean
  }
  /** One check of a run that was judged done has ended. */
  'run-checked': OfRun & {
    readonly attempt: number
    readonly check: string
    readonly verdict: CheckVerdict['kind']
  }
  /** A check waits for a lane, and its run needs no slot. */
  'check-waits': OfRun & { readonly why: string | undefined }
  /** One try of one command of a verification has ended. `run`: whose verification, a run's or a landing's. */
  'command-verified': OfRun & {
    readonly command: string
    readonly end: CommandEnd['kind']
    readonly exit: number | undefined
    readonly ms: number
  }
  /** Its work is on its target branch. `commit`: null if it was there before. */
  'task-landed': OfRun & { readonly target: string; readonly commit: string | null }
  /** Its work waits to land, for a person or for time. */
  'landing-waits': OfRun & { readonly why: string }
  /** Its work goes back to its agent. */
  'landing-returned': OfRun & { readonly outcome: OutcomeCode; readonly why: string }
  /** The target was moved by somebody else first. */
  'landing-repeated': OfRun
  /** A person has decided about the task, which waited to land. */
  'landing-dropped': OfRun
  /** Hooks, filters or configuration are not run until a person says so. */
  'repository-programs-changed': { readonly task: string; readonly repository: string }
  'leftovers-killed': OfRun & { readonly found: readonly Leftover[] }
  /** Processes of ended runs; which run each belonged to is not known. */
  'strays-killed': { readonly found: readonly Leftover[] }
  'task-taken-away': OfRun
  /** The lease could not be renewed in time. */
  'run-cut-off': OfRun
  /** The dead man's switch ended it while its supervisor was dead, stopped or hung. */
  'run-ended-by-switch': OfRun
  'edit-refused': OfRun & { readonly attempt: number; readonly why: string }
  /** Before its judgement. fleet has undone what it could. */
  'task-folder-damaged': OfRun & { readonly why: string }
  /** The same between two attempts. */
  'task-folder-mended': { readonly task: string; readonly why: string }
  'task-folder-unwritable': OfRun & { readonly why: string }
  'questions-file-unwritable': { readonly task: string; readonly why: string }
  /** A letter that another run wrote, or that lacks the signature of this one. `from`: the run that it names. */
  'letter-refused': OfRun & { readonly from: string; readonly of: string | null; readonly kind: InboxItem['kind'] }
  /** It stands where the hooks of its run look. */
  'message-handed-over': OfRun & { readonly message: number }
  /** Its agent reads it in its next prompt. */
  'message-not-handed-over': OfRun & { readonly message: number; readonly why: string }
  /** A hook has told it to its agent: before this tool, or at the end of a turn. */
  'message-delivered': OfRun & { readonly message: number; readonly before: string | null }
  /** The run was stopped soon after a hook had told it: it is told again in the next prompt. */
  'message-perhaps-unread': OfRun & { readonly message: number }
  /** They let the calls pass. */
  'hooks-failed': OfRun & { readonly times: number }
  'inbox-unreadable': OfRun & { readonly why: string }
  /** An adopted run's coder can no longer be used; its output is read as plain text. */
  'coder-unusable': OfRun & { readonly why: string }

  'lane-down': OfLane & Pick<Lane, 'code'> & { readonly why: Lane['reason'] }
  /** `cap`: the most agents at once when it is up again. */
  'lane-paused': OfLane & Pick<Lane, 'code' | 'until'> & { readonly why: Lane['reason']; readonly cap: Cap }
  'lane-up': OfLane & { readonly was: Lane['reason']; readonly cap: Cap }
  'lane-at-full-width': OfLane
  'lane-tried-again': OfLane & { readonly was: Lane['reason'] }
  /** The coder did not accept the model: no task of the lane is tried with it until something has changed. */
  'model-refused': OfModel & { readonly why: string }
  'model-tried-again': OfModel & { readonly was: string }
  'model-accepted': OfModel & { readonly was: string }

  'request-received': Asked
  'order-received': Asked
  'heartbeat-failed': { readonly why: string }

  'bd-task-unreadable': { readonly why: string }
  /** bd could not be written to; the write is tried again. */
  'bd-write-delayed': { readonly task: string; readonly why: string }
  /** bd answered every time and still does not show the change: fleet takes over what bd has. */
  'bd-write-abandoned': { readonly task: string; readonly tries: number }
}

export type LogEventName = keyof LogEvents

/** An event without fields takes no second argument. */
export type LogFields<K extends LogEventName> = LogEvents[K] extends NoFields ? [] : [fields: LogEvents[K]]

export type Log = <K extends LogEventName>(event: K, ...fields: LogFields<K>) => void

type NoFields = Readonly<Record<string, never>>

interface OfRun {
  readonly task: string
  readonly run: string
}

interface OfLane {
  readonly lane: string
}

/** Absent: as many as there is room for. */
type Cap = number | undefined

interface OfModel extends OfLane {
  /** '': the coder's own choice. */
  readonly model: string
}

interface Asked {
  readonly what: string
  /** '' where it concerns no single task. */
  readonly task: string
  readonly by: string
}

interface Paused {
  readonly by: string
  readonly at: number
}

interface Leftover {
  readonly pid: number
  readonly startTime: string
  readonly command: string
}

type Finding = 'alive' | 'gone' | 'never-started' | 'ended'
