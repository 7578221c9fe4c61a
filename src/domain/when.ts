/**
 * A moment as people type it, relative to `now`: `+6h -1d 2w 3m 1y`, `2026-01-15`, `2026-01-15 10:00:00`, RFC 3339, or
 * one of a few words. Dates without a zone are local, because a person at a keyboard means their own midnight.
 */
export function parseWhen(text: string, now: Date): Date | undefined {
  const typed = text.trim().toLowerCase()
  return offset(typed, now) ?? absolute(text.trim()) ?? word(typed, now)
}

const OFFSET = /^([+-]?)(\d{1,6})([hdwmy])$/

function offset(text: string, now: Date): Date | undefined {
  const [, sign, digits, unit] = OFFSET.exec(text) ?? []
  return unit === undefined ? undefined : moved(now, Number(`${sign}${digits}`), unit)
}

function moved(from: Date, amount: number, unit: string): Date {
  const to = new Date(from)
  if (unit === 'h') to.setTime(to.getTime() + amount * 3600_000)
  else if (unit === 'd') to.setDate(to.getDate() + amount)
  else if (unit === 'w') to.setDate(to.getDate() + 7 * amount)
  else if (unit === 'm') to.setMonth(to.getMonth() + amount)
  else to.setFullYear(to.getFullYear() + amount)
  return to
}

const DATE = /^\d{4}-\d\d-\d\d$/
const LOCAL_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d$/
const ZONED_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

function absolute(text: string): Date | undefined {
  // A date alone would be read as UTC, a time without a zone as local.
  const readable = DATE.test(text)
    ? `${text}T00:00:00`
    : LOCAL_TIME.test(text) || ZONED_TIME.test(text)
      ? text
      : undefined
  if (readable === undefined) return undefined
  const date = new Date(readable)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const UNITS: Readonly<Record<string, string>> = { hour: 'h', day: 'd', week: 'w', month: 'm', year: 'y' }

function word(text: string, now: Date): Date | undefined {
  if (text === 'now' || text === 'today') return now
  if (text === 'tomorrow') return moved(now, 1, 'd')
  if (text === 'yesterday') return moved(now, -1, 'd')
  const weekday = WEEKDAYS.indexOf(/^(?:next )?([a-z]+)$/.exec(text)?.[1] ?? '')
  if (weekday !== -1) return moved(now, (weekday - now.getDay() + 7) % 7 || 7, 'd')
  const unit = UNITS[/^next ([a-z]+)$/.exec(text)?.[1] ?? '']
  if (unit !== undefined) return moved(now, 1, unit)
  const [, ahead, digits, name, ago] = /^(in )?(\d{1,6}) ([a-z]+?)s?( ago)?$/.exec(text) ?? []
  const span = UNITS[name ?? '']
  if (span === undefined || (ahead === undefined) === (ago === undefined)) return undefined
  return moved(now, ago === undefined ? Number(digits) : -Number(digits), span)
}
