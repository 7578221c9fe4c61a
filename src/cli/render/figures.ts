import type { Usage } from '../../domain/run/event.ts'
import type { Figures } from '../../domain/run/run.ts'
import type { Span, Style } from './painted.ts'

/** 950, 12.3k, 456k, 7.8M */
export function count(value: number): string {
  if (value < 1000) return String(value)
  const [scaled, unit] = value < 999_500 ? [value / 1000, 'k'] : [value / 1e6, 'M']
  return `${scaled < 100 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)}${unit}`
}

/** 8s, 4m05s, 2h07m, 3d04h: two units at most. A clock that was set back shows 0s. */
export function elapsed(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h${two(Math.floor(seconds / 60) % 60)}m`
  return `${Math.floor(seconds / 86_400)}d${two(Math.floor(seconds / 3600) % 24)}h`
}

/** 14:02:11 on the same day, otherwise 11-15 14:02, in the reader's own time. */
export function moment(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)]
  if (date.toDateString() === today.toDateString()) return clock(date)
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return date.getFullYear() === today.getFullYear()
    ? `${day} ${clock(date).slice(0, 5)}`
    : `${date.getFullYear()}-${day}`
}

const SOON_MS = 120_000

/** 14:02 when something goes on: with the day where it is another, with seconds where somebody may sit and wait for it. */
export function upcoming(at: number, now: number): string {
  if (Math.abs(at - now) < SOON_MS) return clock(new Date(at))
  return moment(at, now).replace(/^(\d\d:\d\d):\d\d$/, '$1')
}

function clock(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** All that was paid for; undefined: nothing is known. Reasoning is part of the output. */
export function tokensOf(usage: Usage): number | undefined {
  const parts = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0)
}

export function tokens(figures: Pick<Figures, 'usage'>): string {
  const total = tokensOf(figures.usage)
  return total === undefined ? UNKNOWN : count(total)
}

export function cost(figures: Pick<Figures, 'costUsd'>): string {
  return figures.costUsd === null ? UNKNOWN : `$${figures.costUsd.toFixed(2)}`
}

export function contextPct({ contextPeak, contextWindow }: Figures): number | undefined {
  if (contextPeak === null || contextWindow === null || contextWindow <= 0) return undefined
  return Math.round((contextPeak / contextWindow) * 100)
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
