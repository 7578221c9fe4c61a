import type { ChangedLines } from '../evidence/changed-lines.ts'
import type { LandingOnReceipt } from '../landing/landing-on-receipt.ts'
import type { Breach } from '../scope/breach.ts'
import type { RefusedCall } from '../scope/called.ts'
import type { GuardedFindings } from '../verify/guarded-text.ts'
import type { CommandEnd, CommandTry } from '../verify/verification.ts'
import type { WeakChange } from './changes.ts'
import type { CheckVerdict } from './check-result.ts'
import type { Denial } from './denial.ts'
import type { Usage } from './event.ts'
import type { Level } from './judgement.ts'
import type { PromptSizes } from './long-prompt.ts'
import type { Outcome } from './outcome.ts'
import type { ReviewOnReceipt } from './review.ts'
import type { Exit } from './run.ts'
import type { WorkDone } from './work-done.ts'

/** The record of one run: what the agent claimed against what the supervisor saw. `attempts/<n>/receipt.json`. */
export interface Receipt {
  readonly v: 1
  readonly run: string
  readonly task: string
  readonly attempt: number
  readonly coder: string
  /** Absent, as `phases`, `given`, `did` and `said`: an older fleet wrote the receipt. */
  readonly lane?: string
  readonly model: string | null
  /** The model that answered last, and all that did. */
  readonly served_model: string | null
  readonly served_models: readonly string[]
  readonly coder_version: string | null
  /** In the coder's own words; null: it does not say. */
  readonly payer: string | null
  readonly session: string | null
  readonly started_at: string
  readonly ended_at: string
  readonly duration_ms: number
  /** In their order; only those whose length is known. */
  readonly phases?: readonly PhaseOnReceipt[]
  readonly given?: GivenOnReceipt
  readonly did?: WorkDone
  /** The agent's last text. */
  readonly said?: string | null
  readonly claim: { readonly how: 'letter' | 'exit'; readonly summary: string } | null
  readonly question: string | null
  readonly level: Level
  readonly outcome: Outcome
  /** In the order they ran; absent: none did. */
  readonly checks?: readonly CheckOnReceipt[]
  /** A person's decision about the work; absent: none. */
  readonly review?: ReviewOnReceipt
  /** Absent: it waits for that, or there was nothing to land. */
  readonly landing?: LandingOnReceipt
  /** Where it could write, and what it changed elsewhere; absent: it had no scope, and changed nothing that is protected. */
  readonly scope?: ScopeOnReceipt
  /** Calls that the coder's permissions denied: the first ones, and how many; absent: none. */
  readonly denied?: { readonly count: number; readonly calls: readonly Denial[] }
  readonly evidence: {
    readonly exit: Exit
    readonly tool_calls: number
    /** The first hundred. null, as the three after it: nobody looked, because the exit alone decides, or the task was taken away. */
    readonly files_changed: readonly string[] | null
    readonly files_changed_count: number | null
    readonly commits: readonly string[] | null
    readonly artifacts: readonly string[] | null
    /** How many lines of these files it added and removed; absent: that is not known. */
    readonly lines?: ChangedLines
    /** Changes here while it ran that nothing traces to a run: the first hundred, and how many; absent: none. */
    readonly untraced?: UntracedOnReceipt
    /** Changes of this run that are no evidence by themselves; absent: none. */
    readonly weak?: readonly WeakChange[]
    /** Where its work was to be, as the task said, and whether it is there. */
    readonly asked?: { readonly for: string; readonly is_met: boolean }
    /** Branches and tags that it made, moved or deleted, where the task asked for them. */
    readonly refs?: readonly string[]
    readonly events: number
    readonly stdout: { readonly bytes: number; readonly sha256: string; readonly altered: boolean }
  }
  /** Its worktree; absent: it ran in the directory of its task. */
  readonly worktree?: WorktreeOnReceipt
  readonly usage: UsageOnReceipt
  readonly context_peak: number | null
  readonly context_window: number | null
  /** Processes that had to be killed after it; `left`: still running, because they belong to another user. */
  readonly leftovers: readonly { readonly pid: number; readonly command: string; readonly left?: true }[]
  /** Size of its TMPDIR at its end; it is removed then. */
  readonly tmp_bytes: number
  /** Files of the attempt that are not as fleet wrote or read them; absent: none. */
  readonly altered?: readonly string[]
  /** Sentences for a person. */
  readonly warnings: readonly string[]
}

export interface ScopeOnReceipt {
  readonly read_only: boolean
  /** null: anywhere in the project. */
  readonly writes: readonly string[] | null
  /** The first thousand. */
  readonly outside: readonly Breach[]
  readonly outside_count: number
  /** Calls that a hook refused before they happened: the first hundred, and how many; absent: none. */
  readonly refused?: { readonly count: number; readonly calls: readonly RefusedCall[] }
  /** A person's decision to let it through; absent: none. */
  readonly approved?: ReviewOnReceipt
}

export interface PhaseOnReceipt {
  /** `starting`: until its first event. `judging`: from its end until its checks, or its outcome. */
  readonly name: 'starting' | 'working' | 'judging' | 'checking'
  readonly ms: number
}

/** The agent's prompt, directory and permissions at its start. */
export interface GivenOnReceipt {
  readonly cwd: string
  /** Characters of each part of its prompt; empty for a script. */
  readonly prompt: PromptSizes
  readonly prompt_bytes: number | null
  readonly permissions: string | null
  /** Absent: it asked for no sandbox. `missing`: why it ran without. */
  readonly sandbox?: { readonly mode: string; readonly network?: string; readonly missing?: string }
  /** The session that it resumed. */
  readonly resumes: string | null
}

export interface WorktreeOnReceipt {
  readonly path: string
  readonly branch: string
  readonly base: string
  /** The commit that its branch is on; null: its work could not be kept there. */
  readonly head: string | null
  /** Whether fleet committed what the agent had left uncommitted. */
  readonly kept: boolean
}

export interface UntracedOnReceipt {
  readonly files: readonly string[]
  readonly commits: readonly string[]
  /** Absent: none. */
  readonly refs?: readonly string[]
  readonly count: number
}

export interface CheckOnReceipt {
  readonly name: string
  readonly verdict: CheckVerdict['kind']
  /** Why it did not pass; null: it did. */
  readonly text: string | null
  /** The commands that it ran, in order; absent: none. */
  readonly commands?: readonly CommandOnReceipt[]
  /** The same commands had passed on the same tree before, so none was run. */
  readonly known?: true
  /** It changed files that decide whether it passes; absent: it did not, or nobody looked. */
  readonly guarded?: GuardedFindings
  /** Of the coder that checked, in all its tries; absent: none did. It is not part of the usage of the run. */
  readonly usage?: UsageOnReceipt
}

export type UsageOnReceipt = Usage & { readonly cost_usd: number | null; readonly estimated: boolean }

export interface CommandOnReceipt {
  readonly name: string
  readonly command: string
  /** null: it has none, and `end` says why. */
  readonly exit: number | null
  readonly end: CommandEnd['kind']
  readonly duration_ms: number
  /** The part of its output that says what is wrong; null: it passed. */
  readonly failing: string | null
  /** The last lines of its output, of a reviewer its last message; absent: it printed nothing. */
  readonly tail?: string
  /** The file with its whole output. */
  readonly log: string
  /** Processes that it left behind, and that were killed; absent: none. */
  readonly leftovers?: number
  /** It ran in a copy with the base version of the files that decide whether it passes. */
  readonly with?: 'base'
}

export function commandOnReceipt({
  name,
  command,
  end,
  ms,
  failing,
  tail,
  log,
  leftovers,
  with: version,
}: CommandTry): CommandOnReceipt {
  return {
    name,
    command,
    exit: end.kind === 'exited' ? end.code : null,
    end: end.kind,
    duration_ms: ms,
    failing: failing === '' ? null : failing,
    ...(tail !== '' && { tail }),
    log,
    ...(leftovers > 0 && { leftovers }),
    ...(version !== undefined && { with: version }),
  }
}

/** The text of receipt.json. */
export function receiptText(receipt: Receipt): string {
  return `${JSON.stringify(receipt, undefined, 2)}\n`
}
