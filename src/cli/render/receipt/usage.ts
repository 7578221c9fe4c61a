import { tokensOf } from '../../../domain/run/figures.ts'
import type { UsageOnReceipt } from '../../../domain/run/receipt.ts'
import { cost, count } from '../figures.ts'

/** Tokens in all and by kind, and what they cost. */
export function usageText(usage: UsageOnReceipt): string {
  const total = tokensOf(usage)
  const parts = [
    ['input', usage.input],
    ['cached', usage.cacheRead],
    ['written to the cache', usage.cacheWrite],
    ['output', usage.output],
  ].flatMap(([name, value]) => (typeof value === 'number' ? [`${name} ${count(value)}`] : []))
  const spent = total === undefined ? 'unknown' : `${count(total)} (${parts.join(', ')})`
  const money = cost({ costUsd: usage.cost_usd })
  return `${spent}${money === '-' ? ', cost unknown' : `, ${money}`}`
}
