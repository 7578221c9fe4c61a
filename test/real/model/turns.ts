import type { Usage } from '../../../src/domain/run/event.ts'

/** What the model does with a request, in any API. */
export type Turn =
  /** Says something, which ends the agent's turn. */
  | { readonly does: 'say'; readonly text: string; readonly usage: Usage }
  | { readonly does: 'call'; readonly call: ToolCall; readonly usage: Usage }
  /**
   * An account's limit: every request is refused until the reset, this many seconds after the first of them, or
   * until the test calls `proceed`.
   */
  | { readonly does: 'limit'; readonly seconds: number }
  /** Every request is refused until the test calls `proceed`. */
  | { readonly does: 'overload' }
  /** Holds the request until the test calls `proceed`, then answers with the next turn. */
  | { readonly does: 'hold' }
  /** Never answers; with `until`, only until a request contains these words. */
  | { readonly does: 'hang'; readonly until?: string }
  /** Starts an answer and cuts the connection in the middle. */
  | { readonly does: 'break-off'; readonly text: string }

/** In the format of one CLI. */
export interface ToolCall {
  readonly tool: string
  /** A text for a tool that takes no fields. */
  readonly input: Readonly<Record<string, unknown>> | string
}

/** The usage of a turn if the test does not care. All figures differ. */
export const USUAL: Usage = { input: 1100, output: 70, cacheRead: 2300, cacheWrite: 0 }

export const says = (text: string, usage = USUAL): Turn => ({ does: 'say', text, usage })
export const calls = (call: ToolCall, usage = USUAL): Turn => ({ does: 'call', call, usage })
export const limit = (seconds: number): Turn => ({ does: 'limit', seconds })
export const overload: Turn = { does: 'overload' }
export const hold: Turn = { does: 'hold' }
export const hang: Turn = { does: 'hang' }
export const hangUntil = (told: string): Turn => ({ does: 'hang', until: told })
export const breakOff = (text: string): Turn => ({ does: 'break-off', text })
