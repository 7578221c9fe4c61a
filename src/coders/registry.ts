/** The coders fleet knows by name. Without a default model the CLI's own applies. */
export interface CoderInfo {
  readonly name: string
  readonly defaultModel?: string
  /** In tokens, where nothing better is known. */
  readonly contextWindow?: number
}

export const CODERS: readonly CoderInfo[] = [
  { name: 'claude', defaultModel: 'sonnet', contextWindow: 200_000 },
  { name: 'codex', contextWindow: 128_000 },
  { name: 'agy', contextWindow: 128_000 },
  { name: 'opencode', contextWindow: 128_000 },
  { name: 'gemini', contextWindow: 1_000_000 },
  { name: 'shell' },
]
