import type { Usage } from './event.ts'
import type { Figures } from './run.ts'

/** All tokens that are paid for; undefined: unknown. Reasoning is part of the output. */
export function tokensOf(usage: Usage): number | undefined {
  const parts = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0)
}

/** The peak context of an attempt as a share of the model's window; undefined: unknown. */
export function contextPct({
  contextPeak,
  contextWindow,
}: Pick<Figures, 'contextPeak' | 'contextWindow'>): number | undefined {
  if (contextPeak === null || contextWindow === null || contextWindow <= 0) return undefined
  return Math.round((contextPeak / contextWindow) * 100)
}
