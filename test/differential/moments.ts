const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** What the scripts say relative to now (`+6h`, `tomorrow`) lies within this; the dates they spell out do not. */
const AHEAD = 9 * DAY

const WEEKDAY = /\b(sun|mon|tues|wednes|thurs|fri|satur)day\b/i

/**
 * Replaces the moments that depend on when the command ran by what they mean: `<time>` for now, `<now+6h>`,
 * `<today+1d>`, and `<monday>` where the command line names a weekday. Others are told literally.
 */
export function withoutMoments(text: string, now: number, line: string): string {
  const today = Math.floor(now / DAY) * DAY
  return text
    .replace(/(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?/g, (literal, date, time, zone) => {
      const moment = Date.parse(`${date}T${time}${zone ?? 'Z'}`)
      if (Math.abs(moment - now) <= 10 * MINUTE) return '<time>'
      if (!(moment > now && moment < now + AHEAD)) return literal
      if (WEEKDAY.test(line)) return weekday(moment)
      const hours = Math.round((moment - now) / HOUR)
      return moment % DAY === 0 ? `<today+${(moment - today) / DAY}d>` : `<now+${hours}h>`
    })
    .replace(/\d{4}-\d\d-\d\d/g, (literal) => {
      const day = Date.parse(literal)
      // A command may have run just before midnight.
      if (day === today || day === Math.floor((now - MINUTE) / DAY) * DAY) return '<date>'
      if (!(day > today && day < today + AHEAD)) return literal
      return WEEKDAY.test(line) ? weekday(day) : `<today+${(day - today) / DAY}d>`
    })
}

function weekday(moment: number): string {
  return `<${new Date(moment).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' }).toLowerCase()}>`
}
