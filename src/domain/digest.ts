import { type CoderEvent, type ToolKind, type Trouble, USAGE_FIELDS, type Usage } from './event.ts'
import type { Figures } from './run.ts'

/**
 * What a run's events add up to. A function of the stream alone, so that a supervisor that adopts a run folds the file
 * again from its first byte and knows what the one before it knew.
 */
export interface Digest {
  events: number
  unknown: number
  session: string | undefined
  model: string | undefined
  version: string | undefined
  payer: string | undefined
  toolCalls: number
  /** Calls made and not answered yet, oldest first. */
  readonly openTools: Map<string, OpenTool>
  pendingBackground: number
  limit: Extract<CoderEvent, { type: 'limit' }> | undefined
  /** The last retry the coder made itself, unless something went well since. */
  retrying: Trouble | undefined
  result: Extract<CoderEvent, { type: 'result' }> | undefined
  results: number
  denied: number
  lastText: string
  window: number | undefined
  contextNow: number | undefined
  contextPeak: number | undefined
  costUsd: number | undefined
  readonly messages: Map<string, Usage>
  total: Usage | undefined
}

export interface OpenTool {
  readonly id: string
  readonly name: string
  readonly kind: ToolKind
  readonly detail: string | undefined
  readonly since: number
}
