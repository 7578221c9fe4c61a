const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const CLOCK =
  /\bresets (?:at )?(?:([a-z]{3})[a-z]* (\d{1,2}),? (?:at )?)?(\d{1,2})(?::(\d{2}))?\s?([ap]m) \(([\w/+-]+)\)/i
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/**
 * When a limit lifts, from words such as `resets 7:18pm (UTC)` or `resets Nov 20, 7pm (Europe/Berlin)`: the first such
 * time after the words were seen.
 */
export function resetTime(text: string, seenAt: number): number | undefined {
  const match = CLOCK.exec(text)
  if (match === null) return undefined
  const [, month, day, hour, minute = '0', half = '', zone = ''] = match
  const offset = zoneOffset(zone, seenAt)
  if (offset === undefined || Number(hour) > 12 || Number(minute) > 59) return undefined
  const here = new Date(seenAt + offset)
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  const at = (year: number, monthIndex: number, date: number): number =>
    Date.UTC(year, monthIndex, date, hours, Number(minute)) - offset
  const year = here.getUTCFullYear()
  if (month === undefined) {
    const today = at(year, here.getUTCMonth(), here.getUTCDate())
    return today > seenAt ? today : today + DAY
  }
  const monthIndex = MONTHS.indexOf(month.toLowerCase())
  if (monthIndex === -1) return undefined
  const thisYear = at(year, monthIndex, Number(day))
  return thisYear > seenAt ? thisYear : at(year + 1, monthIndex, Number(day))
}

/** Milliseconds that a zone's clocks are ahead of UTC at that time; undefined for one nobody knows. */
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
