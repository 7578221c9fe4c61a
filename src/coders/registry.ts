import { ownEntry } from '../domain/text/own-entry.ts'
import type { Coder } from '../ports/coder.ts'

/** What is known of a coder before any of it is started. */
export interface CoderInfo {
  readonly name: string
  /** What runs where nobody chose a model; absent: the CLI's own choice. */
  readonly defaultModel?: string
  /** Tokens, where the stream says nothing better. */
  readonly contextWindow?: number
  /** Of one start, in milliseconds of a processor, as measured (docs/guide/coders.md). */
  readonly startCostMs?: number
}

export const CODERS: readonly CoderInfo[] = [
  { name: 'claude', defaultModel: 'sonnet', contextWindow: 200_000, startCostMs: 1200 },
  { name: 'codex', contextWindow: 128_000, startCostMs: 200 },
  { name: 'agy', contextWindow: 128_000 },
  { name: 'opencode', contextWindow: 128_000, startCostMs: 5500 },
  { name: 'gemini', contextWindow: 1_000_000, startCostMs: 1500 },
  { name: 'shell', startCostMs: 0 },
]

export function coderNames(): readonly string[] {
  return CODERS.map((coder) => coder.name)
}

export function coderInfo(name: string): CoderInfo {
  const found = CODERS.find((coder) => coder.name === name)
  if (found === undefined) throw new Error(`no coder is called ${name}`)
  return found
}

/** Of one that nobody has measured. */
const USUAL_START = 500

export function startCost(name: string): number {
  return CODERS.find((coder) => coder.name === name)?.startCostMs ?? USUAL_START
}

const LOADERS: Readonly<Record<string, () => Promise<Coder>>> = {
  claude: async () => (await import('./claude/coder.ts')).claude,
  codex: async () => (await import('./codex/coder.ts')).codex,
  agy: async () => (await import('./agy/coder.ts')).agy,
  gemini: async () => (await import('./gemini/coder.ts')).gemini,
  opencode: async () => (await import('./opencode/coder.ts')).opencode,
  shell: async () => (await import('./shell/coder.ts')).shell,
}

/** Loaded when it is to run: the configuration only needs the names. undefined: fleet cannot run it yet. */
export async function coderFor(name: string): Promise<Coder | undefined> {
  return await ownEntry(LOADERS, name)?.()
}
