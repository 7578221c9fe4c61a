/** What is known of a coder before any of it is started. */
export interface CoderInfo {
  readonly name: string
  /** What runs where nobody chose a model; absent: the CLI's own choice. */
  readonly defaultModel?: string
  /** Tokens, where the stream says nothing better. */
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

export function coderNames(): readonly string[] {
  return CODERS.map((coder) => coder.name)
}
