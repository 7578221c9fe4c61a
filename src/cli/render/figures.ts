import { contextPct, tokensOf } from '../../domain/run/figures.ts'
import type { Figures } from '../../domain/run/run.ts'
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
