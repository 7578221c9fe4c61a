/**
 * What agents tell, in one vocabulary for every coder. A coder's parser makes these from one line of output; what it does
 * not know becomes `unknown` and never stops a run. Texts are bounded where they are made.
 */
export type CoderEvent =
  /** The coder's own session, and what it says about itself. May come again within a run. */
  | {
      readonly type: 'session'
      readonly id: string
      readonly model?: string
      readonly version?: string
      /** What pays, in the coder's words, e.g. `ANTHROPIC_API_KEY`. */
      readonly payer?: string
      /** One more step of its work begins, of which a result or another step will tell the end. */
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
      readonly subagent?: boolean
    }
  | { readonly type: 'tool-ended'; readonly id: string; readonly failed: boolean; readonly text?: string }
  /** What one model message used. Told several times for one message: the last telling counts. */
  | {
      readonly type: 'usage'
      readonly message: string
      readonly usage: Usage
      readonly model?: string
      /** A sub-agent's tokens are paid, but its context is not the session's. */
      readonly subagent?: boolean
      /**
       * Told beside stdout, where a total of the run tells it too: whether before or after what stdout told last, nobody
       * can say. So it adds nothing to a total, and no trouble is over because of it.
       */
      readonly aside?: true
    }
  /**
   * Totals as the coder counts them. `covers: 'run'`: of this run from its start, a later one replaces it;
   * `covers: 'since-last'`: since the last total, they add up; `covers: 'session'`: of the whole session so far, with the
   * runs before this one; `covers: 'earlier'`: of those runs alone. The cost covers the same unless `costCovers` says that
   * it is the whole session's.
   */
  | {
      readonly type: 'total'
      readonly covers: 'run' | 'since-last' | 'session' | 'earlier'
      readonly usage: Usage
      readonly costUsd?: number
      readonly costCovers?: 'session'
      /** The one that did most of it. */
      readonly model?: string
    }
  /** The real context window of the model at work, in tokens. */
  | { readonly type: 'window'; readonly tokens: number; readonly model?: string }
  /** A limit's standing. `rejected`: it refused this run; `resetsAt` in milliseconds where it is known. */
  | {
      readonly type: 'limit'
      readonly status: 'allowed' | 'warning' | 'rejected'
      readonly name?: string
      readonly resetsAt?: number
      readonly usedPct?: number
    }
  /** The coder itself tries again: a sign of life, and a hint at why. */
  | { readonly type: 'retrying'; readonly why: Trouble; readonly attempt: number; readonly delayMs?: number }
  /** How many pieces of background work (commands, sub-agents) are still going. */
  | { readonly type: 'background'; readonly pending: number }
  /** `id`: the call that was denied, where it is known. Told twice, it counts once. */
  | { readonly type: 'denied'; readonly tool: string; readonly id?: string; readonly text?: string }
  /** What went wrong, in the coder's own words, before the result that will not say it as clearly. */
  | { readonly type: 'trouble'; readonly trouble: Trouble }
  | { readonly type: 'compacted' }
  /** The end of a turn. More may follow in one run; the last one counts. */
  | {
      readonly type: 'result'
      readonly ok: boolean
      readonly text?: string
      /** Why it failed, where `ok` is false. */
      readonly trouble?: Trouble
    }
  /** Named but of no consequence: hooks, notices. Counts as a sign of life. */
  | { readonly type: 'notice'; readonly name: string; readonly text?: string }
  | { readonly type: 'unknown'; readonly raw: string }

export type ToolKind = 'shell' | 'edit' | 'read' | 'mcp' | 'agent' | 'other'

/** What a coder's own words say went wrong. Each is an outcome of the same name (outcome.ts), or `error`. */
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
  /** The session to go on with does not exist any more. */
  | { readonly code: 'no-session'; readonly text: string }
  | { readonly code: 'budget'; readonly text: string }

/** Raw counts, priced later. Absent is unknown, not zero. */
export interface Usage {
  readonly input?: number
  readonly output?: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

export const USAGE_FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const
