/** Times as people read them, in the reader's own time zone. */

/** 14:02:11 on the same day, otherwise 11-15 14:02 or 2025-11-15. */
export function moment(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)]
  if (date.toDateString() === today.toDateString()) return clock(date)
  const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return date.getFullYear() === today.getFullYear()
    ? `${day} ${clock(date).slice(0, 5)}`
    : `${date.getFullYear()}-${day}`
}

const SOON_MS = 120_000

/** A time to come: 14:02, with the date on another day, with seconds where a person may sit and wait for it. */
export function upcoming(at: number, now: number): string {
  if (Math.abs(at - now) < SOON_MS) return clock(new Date(at))
  return moment(at, now).replace(/^(\d\d:\d\d):\d\d$/, '$1')
}

/** 8s, 4m05s, 2h07m, 3d04h: two units at most. A clock that was set back shows 0s. */
export function elapsed(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h${two(Math.floor(seconds / 60) % 60)}m`
  return `${Math.floor(seconds / 86_400)}d${two(Math.floor(seconds / 3600) % 24)}h`
}

function clock(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
