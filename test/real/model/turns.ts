import type { Usage } from '../../../src/domain/run/event.ts'

/** What a model does when it is asked, whatever the language it is asked in. */
export type Turn =
  /** Says something, which ends the agent's turn. */
  | { readonly does: 'say'; readonly text: string; readonly usage: Usage }
  | { readonly does: 'call'; readonly call: ToolCall; readonly usage: Usage }
  /**
   * An account's limit: every request is refused until the reset, which is so many seconds after the first of them, or
   * until the test says `goOn`.
   */
  | { readonly does: 'limit'; readonly seconds: number }
  /** Every request is refused, until the test says `goOn`. */
  | { readonly does: 'overload' }
  /** Takes the request and answers when the test says `goOn`, with the turn after this one. */
  | { readonly does: 'hold' }
  /** Takes the request and never answers; with `until`, every one up to the first that tells these words. */
  | { readonly does: 'hang'; readonly until?: string }
  /** Begins an answer; in the middle of it the connection is cut. */
  | { readonly does: 'break-off'; readonly text: string }

/** In the words of one CLI. */
export interface ToolCall {
  readonly tool: string
  /** A text for a tool that takes no fields. */
  readonly input: Readonly<Record<string, unknown>> | string
}

/** What a turn costs where the test does not care: each figure another one. */
export const USUAL: Usage = { input: 1100, output: 70, cacheRead: 2300, cacheWrite: 0 }

export const says = (text: string, usage = USUAL): Turn => ({ does: 'say', text, usage })
export const calls = (call: ToolCall, usage = USUAL): Turn => ({ does: 'call', call, usage })
export const limit = (seconds: number): Turn => ({ does: 'limit', seconds })
export const overload: Turn = { does: 'overload' }
export const hold: Turn = { does: 'hold' }
export const hang: Turn = { does: 'hang' }
export const hangUntil = (told: string): Turn => ({ does: 'hang', until: told })
export const breakOff = (text: string): Turn => ({ does: 'break-off', text })
