import { isObject } from '../../domain/task/settings.ts'
import { moment } from '../../domain/text/moment.ts'
import { logEventTitle } from './log-event.ts'
import type { Line, Style } from './painted.ts'

/**
 * A line of one of fleet's journals (log.jsonl, events.jsonl, the supervisor's log) for people: time, what, text, and the
 * other fields. What is no JSON object is shown as it is.
 */
export function journalLine(text: string, now: number): Line {
  const entry = parsed(text)
  if (entry === undefined) return [{ text }]
  const at = timeOf(entry)
  const what = wordOf(entry, ['kind', 'type']) || eventTitle(wordOf(entry, ['event']))
  const message = wordOf(entry, ['msg', 'text', 'message'])
  const level = levelOf(entry['level'])
  const rest = Object.entries(entry).filter(([name, value]) => !TOLD.has(name) && value !== null && value !== '')
  return [
    ...(at === undefined ? [] : [{ text: `${moment(at, now)} `, style: 'dim' as const }]),
    ...(typeof entry['attempt'] === 'number' ? [{ text: `#${entry['attempt']} `, style: 'dim' as const }] : []),
    ...(level === undefined ? [] : [{ text: `${level.name} `, style: level.style }]),
    ...(what === '' ? [] : [{ text: `${what} `, style: 'bold' as const }]),
    ...(message === '' ? [] : [{ text: `${message} ` }]),
    ...rest.map(([name, value]) => ({ text: `${name}=${shown(value)} `, style: 'dim' as const })),
  ]
}

/** An event that another version of fleet wrote is shown by its name. */
function eventTitle(name: string): string {
  return logEventTitle(name) ?? name
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const TIMES = ['ts', 'time'] as const
/** Shown in their own way, or of no use to a person. */
const TOLD = new Set<string>([
  ...TIMES,
  'v',
  'at',
  'level',
  'kind',
  'type',
  'event',
  'msg',
  'text',
  'message',
  'attempt',
  'run',
  'session',
  'offset',
  'pid',
  'hostname',
])

function timeOf(entry: Record<string, unknown>): number | undefined {
  for (const name of TIMES) {
    const value = entry[name]
    const at = typeof value === 'string' ? Date.parse(value) : value
    // Beyond this no date can be made of it.
    if (typeof at === 'number' && Math.abs(at) < 8.64e15) return at
  }
  return undefined
}

function wordOf(entry: Record<string, unknown>, names: readonly string[]): string {
  for (const name of names) {
    const value = entry[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return ''
}

/** As pino numbers them; info is not named. */
function levelOf(level: unknown): { name: string; style: Style } | undefined {
  const value = typeof level === 'string' ? LEVELS[level] : level
  if (typeof value !== 'number' || value < 40) return undefined
  return value < 50 ? { name: 'warn', style: 'yellow' } : { name: 'error', style: 'red' }
}

const LEVELS: Readonly<Record<string, number>> = { warn: 40, error: 50, fatal: 60 }

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
