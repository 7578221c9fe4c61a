import { contextPct, tokensOf } from '../../domain/run/figures.ts'
import type { Figures } from '../../domain/run/run.ts'
import type { Spent } from '../../domain/run/spent.ts'
import type { Span, Style } from './painted.ts'

/** 950, 12.3k, 456k, 7.8M */
export function count(value: number): string {
  if (value < 1000) return String(value)
  const [scaled, unit] = value < 999_500 ? [value / 1000, 'k'] : [value / 1e6, 'M']
  return `${scaled < 100 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)}${unit}`
}

export function tokens(figures: Pick<Figures, 'usage'>): string {
  const total = tokensOf(figures.usage)
  return total === undefined ? UNKNOWN : count(total)
}

export function cost(figures: Pick<Figures, 'costUsd'>): string {
  return figures.costUsd === null ? UNKNOWN : `$${figures.costUsd.toFixed(2)}`
}

/** The sum over attempts; `+` where a share of it is unknown. */
export function tokensSpent(spent: Spent): string {
  return marked(tokens(spent), spent.tokensMissing)
}

export function costSpent(spent: Spent): string {
  return marked(cost(spent), spent.costMissing)
}

function marked(text: string, missing: number): string {
  return text === UNKNOWN || missing === 0 ? text : `${text}+`
}

/** The peak of this attempt. */
export function context(figures: Figures): Span {
  if (figures.contextPeak === null) return { text: UNKNOWN }
  const pct = contextPct(figures)
  if (pct === undefined) return { text: count(figures.contextPeak) }
  return { text: `${count(figures.contextPeak)} ${pct}%`, style: pressure(pct) }
}

function pressure(pct: number): Style {
  if (pct < 50) return 'green'
  return pct < 80 ? 'yellow' : 'red'
}

export const UNKNOWN = '-'
