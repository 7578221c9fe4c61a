const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const CLOCKS = [
  /\bresets (?:at )?(?:(?<month>[a-z]{3})[a-z]* (?<day>\d{1,2}),? (?:at )?)?(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s?(?<half>[ap]m)\b(?: \((?<zone>[\w/+-]+)\))?/i,
  /\btry again at (?:(?<month>[a-z]{3}) (?<day>\d{1,2})(?:st|nd|rd|th), (?<year>\d{4}) )?(?<hour>\d{1,2}):(?<minute>\d{2}) (?<half>[ap]m)\b/i,
]

/**
 * When a limit lifts, from words such as `resets 7:18pm (UTC)`, `resets Nov 20, 7pm (Europe/Berlin)`, `try again at
 * 7:26 PM` or `try again at Nov 19th, 2026 3:02 AM`: the first such time after fleet read the words, or one that has just
 * passed, since the words leave out the seconds. `zone`: the time zone if the words name none.
 */
export function resetTime(text: string, seenAt: number, zone?: string): number | undefined {
  const said = CLOCKS.map((clock) => clock.exec(text)?.groups).find((groups) => groups !== undefined)
  if (said === undefined) return undefined
  const { month, day, year, hour, minute = '0', half = '' } = said
  const offset = zoneOffset(said['zone'] ?? zone ?? '', seenAt)
  if (offset === undefined || Number(hour) > 12 || Number(minute) > 59) return undefined
  const here = new Date(seenAt + offset)
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  const at = (inYear: number, monthIndex: number, date: number): number =>
    Date.UTC(inYear, monthIndex, date, hours, Number(minute)) - offset
  const thisYear = here.getUTCFullYear()
  if (month === undefined) {
    const today = at(thisYear, here.getUTCMonth(), here.getUTCDate())
    return today > seenAt - HOUR ? today : today + DAY
  }
  const monthIndex = MONTHS.indexOf(month.toLowerCase())
  if (monthIndex === -1) return undefined
  if (year !== undefined) return at(Number(year), monthIndex, Number(day))
  const next = at(thisYear, monthIndex, Number(day))
  return next > seenAt - HOUR ? next : at(thisYear + 1, monthIndex, Number(day))
}

/** The time zone of this machine. */
export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Milliseconds that a zone is ahead of UTC at that time; undefined for an unknown zone. */
function zoneOffset(zone: string, at: number): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at)
    const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? ''
    const [, sign, hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(name) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE
  } catch {
    return undefined
  }
}
