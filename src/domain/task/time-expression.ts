import { isStorableTime } from './time.ts'

/**
 * Parses times as people type them: `+6h`, `2025-01-15`, RFC 3339, `tomorrow`, `next monday at 9am`, `in 3 days`. Times
 * without a zone are local. The vocabulary is bd's. undefined if the text contains no time, or one that cannot be stored.
 */
export function parseTimeExpression(text: string, now: Date): Date | undefined {
  const at = ABSOLUTE.test(text) ? absolute(text) : (compact(text, now) ?? inWords(text, now))
  return at !== undefined && isStorableTime(at.getTime()) ? at : undefined
}

function compact(text: string, now: Date): Date | undefined {
  const match = /^([+-]?)(\d+)([hdwmy])$/.exec(text)
  if (match === null) return undefined
  const amount = Number(match[2]) * (match[1] === '-' ? -1 : 1)
  const at = new Date(now)
  if (match[3] === 'h') at.setTime(at.getTime() + amount * HOUR)
  if (match[3] === 'd') at.setDate(at.getDate() + amount)
  if (match[3] === 'w') at.setDate(at.getDate() + amount * 7)
  if (match[3] === 'm') at.setMonth(at.getMonth() + amount)
  if (match[3] === 'y') at.setFullYear(at.getFullYear() + amount)
  return at
}

const ABSOLUTE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?)?$/

function absolute(text: string): Date | undefined {
  const match = ABSOLUTE.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const at = new Date(2000, 0, 1, hour, minute, second)
  // The constructor would read the year 26 as 1926.
  at.setFullYear(year, month - 1, day)
  // Date turns February 31st into March 3rd; refuse it instead.
  if (at.getMonth() !== month - 1 || at.getDate() !== day) return undefined
  return match[8] === undefined ? at : new Date(text.replace(' ', 'T'))
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH_NAMES =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const AMOUNT = `(${NUMBERS.join('|')}|\\d+|an?\\s+few|an?|half(?:\\s+an?)?)\\s*(second|min(?:ute)?|hour|day|week|month|year)s?`

/** Each entry reads one kind of phrase. Several can combine into one time (`next monday at 9am`). */
const PHRASES: readonly { pattern: RegExp; apply: (at: Date, found: RegExpExecArray) => void }[] = [
  {
    pattern:
      /\b(?:(this|last|past|next)\s+)?((?:sun|mon|tues|wednes|thurs|fri|satur)day|sun|mon|tue|wed|thur?|fri|sat)\b(?:\s+(this|last|past|next)\s+week)?/i,
    apply: (at, [, before, name, after]) => weekday(at, `${name}`, (before ?? after ?? 'next').toLowerCase()),
  },
  { pattern: /\b(?:tomorrow|tmr)\b/i, apply: (at) => void at.setTime(at.getTime() + DAY) },
  { pattern: /\byesterday\b/i, apply: (at) => void at.setTime(at.getTime() - DAY) },
  { pattern: /\b(?:now|today)\b/i, apply: () => {} },
  { pattern: /\btonight\b/i, apply: (at) => void at.setHours(23, 0) },
  { pattern: new RegExp(`\\b(?:with)?in\\s+${AMOUNT}\\b`, 'i'), apply: (at, found) => shift(at, found, 1) },
  { pattern: new RegExp(`\\b${AMOUNT}\\s+ago\\b`, 'i'), apply: (at, found) => shift(at, found, -1) },
  {
    pattern: new RegExp(
      `\\b(?:(\\d{1,2})(?:st|nd|rd|th)?(?:\\s+of)?\\s+)?(${MONTH_NAMES})\\.?(?:\\s+(\\d{1,2})(?:st|nd|rd|th)?)?(?!\\w)`,
      'i',
    ),
    apply: (at, [, before, name, after]) => {
      at.setMonth(MONTHS.indexOf(`${name}`.toLowerCase().slice(0, 3)), Number(before ?? after ?? at.getDate()))
    },
  },
  {
    pattern: /\b(morning|afternoon|evening|noon)\b/i,
    apply: (at, [, part]) => {
      at.setHours({ morning: 8, noon: 12, afternoon: 15, evening: 18 }[`${part}`.toLowerCase()] ?? 0, 0)
    },
  },
  {
    pattern: /(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?:\s*([ap])\.?m?\.?(?!\w))?/i,
    apply: (at, [, hour, minute, half]) => void at.setHours(hourOf(Number(hour), half), Number(minute), 0),
  },
  {
    pattern: /(?<![\d:])(\d{1,2})\s*([ap])\.?m?\.?(?!\w)/i,
    apply: (at, [, hour, half]) => void at.setHours(hourOf(Number(hour), half), 0, 0),
  },
]

function inWords(text: string, now: Date): Date | undefined {
  const at = new Date(now)
  let found = false
  for (const { pattern, apply } of PHRASES) {
    const match = pattern.exec(text)
    if (match === null) continue
    apply(at, match)
    found = true
  }
  return found ? at : undefined
}

function weekday(at: Date, name: string, which: string): void {
  const away = WEEKDAYS.indexOf(name.toLowerCase().slice(0, 3)) - at.getDay()
  const days = which === 'this' ? away : which === 'next' ? (away > 0 ? away : away + 7) : away < 0 ? away : away - 7
  at.setTime(at.getTime() + days * DAY)
}

function shift(at: Date, [, count, unit]: RegExpExecArray, sign: 1 | -1): void {
  const amount = sign * amountOf(`${count}`.toLowerCase())
  const name = `${unit}`.toLowerCase()
  if (name === 'month' && Number.isInteger(amount)) at.setMonth(at.getMonth() + amount)
  else if (name === 'year') at.setMonth(at.getMonth() + 12 * amount)
  else at.setTime(at.getTime() + amount * (UNITS[name] ?? 0))
}

const UNITS: Readonly<Record<string, number>> = {
  second: 1000,
  min: 60_000,
  minute: 60_000,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 28 * DAY,
}

function amountOf(text: string): number {
  if (text.startsWith('half')) return 0.5
  if (text.includes('few')) return 3
  if (/^an?$/.test(text)) return 1
  const word = NUMBERS.indexOf(text)
  return word === -1 ? Number(text) : word + 1
}

function hourOf(hour: number, half: string | undefined): number {
  return half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}
