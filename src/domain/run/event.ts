/**
 * The events of every coder in one vocabulary. A coder's parser makes them from one line of output; a line it does not know
 * becomes `unknown` and never stops a run. The parser also limits the length of texts.
 */
export type CoderEvent =
  /** The coder's session and details about the coder. May repeat within a run. */
  | {
      readonly type: 'session'
      readonly id: string
      readonly model?: string
      readonly version?: string
      /** The credential that pays, in the coder's words, e.g. `ANTHROPIC_API_KEY`. */
      readonly payer?: string
      /** A new step of work begins. It ends with a result or with the next step. */
      readonly step?: true
    }
  | { readonly type: 'text'; readonly text: string; readonly subagent?: boolean }
  | {
      readonly type: 'tool-started'
      readonly id: string
      readonly name: string
      readonly kind: ToolKind
      /** The command, the file: one line for people. */
      readonly detail?: string
      /** The whole command, where `detail` does not have all of it. */
      readonly command?: string
      /** The directory that a shell line runs in, as the coder names it. Without it the call does not say. */
      readonly cwd?: string
      /** The files that it writes, as the coder names them. */
      readonly paths?: readonly string[]
      /** It only says something to fleet (`fleet done`, `ask`, `note`): no work on the task. */
      readonly toFleet?: true
      readonly subagent?: boolean
      /** The call that started the sub-agent which makes this one, if the coder tells it. */
      readonly parent?: string
      /** A fingerprint of all its arguments. Without it the call is like no other. */
      readonly print?: string
    }
  | {
      readonly type: 'tool-ended'
      readonly id: string
      readonly failed: boolean
      readonly text?: string
      /** A fingerprint of all its result. Without it the result is like no other. */
      readonly print?: string
    }
  /** The usage of one model message. A coder may report a message several times; the last report counts. */
  | {
      readonly type: 'usage'
      readonly message: string
      readonly usage: Usage
      readonly model?: string
      /** A sub-agent's tokens cost money, but do not fill the session's context. */
      readonly subagent?: boolean
      /**
       * Read from a sidecar file, while a total on stdout covers the same tokens. Its order relative to stdout is unknown,
       * so it is never added to a total and never ends a trouble.
       */
      readonly aside?: true
    }
  /**
   * Totals as the coder counts them. `covers: 'run'`: this run from its start; a later total replaces it.
   * `covers: 'since-last'`: since the last total; these add up. `covers: 'session'`: the whole session so far, including
   * earlier runs. `covers: 'earlier'`: only those earlier runs. The cost covers the same span unless `costCovers` says that
   * it covers the whole session.
   */
  | {
      readonly type: 'total'
      readonly covers: 'run' | 'since-last' | 'session' | 'earlier'
      readonly usage: Usage
      readonly costUsd?: number
      readonly costCovers?: 'session'
      /** The model that used most of the tokens. */
      readonly model?: string
    }
  /** The real context window of the model at work, in tokens. */
  | { readonly type: 'window'; readonly tokens: number; readonly model?: string }
  /** The state of a limit. `rejected`: it refused this run. `resetsAt` in milliseconds, if known. */
  | {
      readonly type: 'limit'
      readonly status: 'allowed' | 'warning' | 'rejected'
      readonly name?: string
      readonly resetsAt?: number
      readonly usedPct?: number
    }
  /** The coder retries by itself: a sign of life, with the reason. */
  | { readonly type: 'retrying'; readonly why: Trouble; readonly attempt: number; readonly delayMs?: number }
  /** The number of background jobs (commands, sub-agents) still running. */
  | { readonly type: 'background'; readonly pending: number }
  /** The coder's count of the tool calls of a sub-agent, by the call that started it. May repeat; the largest counts. */
  | { readonly type: 'subagent'; readonly call: string; readonly toolCalls: number }
  /** A denied tool call. With an `id`, repeated reports of the same call count once. */
  | { readonly type: 'denied'; readonly tool: string; readonly id?: string; readonly text?: string }
  /** An error in the coder's own words. It is more precise than the result that follows. */
  | { readonly type: 'trouble'; readonly trouble: Trouble }
  | { readonly type: 'compacted' }
  /** The end of a turn. A run may have several; the last one counts. */
  | {
      readonly type: 'result'
      readonly ok: boolean
      readonly text?: string
      /** The reason for the failure if `ok` is false. */
      readonly trouble?: Trouble
    }
  /** Known but without effect: hooks, notices. Counts as a sign of life. */
  | { readonly type: 'notice'; readonly name: string; readonly text?: string }
  | { readonly type: 'unknown'; readonly raw: string }

export type ToolKind = 'shell' | 'edit' | 'read' | 'mcp' | 'agent' | 'other'

/** An error as the coder reports it. Each code is also an outcome code (outcome.ts). */
export type Trouble =
  | { readonly code: 'error'; readonly text: string }
  | { readonly code: 'usage-limit'; readonly text: string; readonly resetsAt?: number }
  | { readonly code: 'overload'; readonly text: string }
  | { readonly code: 'network'; readonly text: string }
  | { readonly code: 'login'; readonly text: string }
  | { readonly code: 'billing'; readonly text: string }
  | { readonly code: 'bad-model'; readonly text: string }
  | { readonly code: 'bad-flag'; readonly text: string }
  | { readonly code: 'context-full'; readonly text: string }
  /** The session to resume no longer exists. */
  | { readonly code: 'no-session'; readonly text: string }
  | { readonly code: 'budget'; readonly text: string }
  /** The run stopped at a call that the permissions deny. */
  | { readonly code: 'denied'; readonly text: string }
  /** Something outside interrupted it, as Ctrl-C does. */
  | { readonly code: 'interrupted'; readonly text: string }

/** Raw counts, priced later. Absent is unknown, not zero. */
export interface Usage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

export const USAGE_FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const
