import type { CoderEvent } from '../../domain/run/event.ts'
import { durationText } from '../../domain/text/duration.ts'
import { count, type Fields, fields, known, word } from '../shared/fields.ts'

/** The used percentage of a window that is worth a warning. */
const WARNS_AT = 90

/** `rate_limits` of a token_count, which only subscriptions have: the window with the highest use. */
export function limitOf(told: Fields): CoderEvent | undefined {
  const windows = ['primary', 'secondary'].flatMap((name) => windowOf(fields(told[name])))
  const [worst] = windows.sort((a, b) => b.used - a.used || (b.resetsAt ?? 0) - (a.resetsAt ?? 0))
  if (worst === undefined) return undefined
  const { used, minutes, resetsAt } = worst
  const length = minutes === undefined ? undefined : durationText(minutes * 60_000)
  return {
    type: 'limit',
    status: used >= 100 && !hasCredits(told) ? 'rejected' : used >= WARNS_AT ? 'warning' : 'allowed',
    ...known({
      name: [word(told['limit_name']), length].filter(Boolean).join(' ') || undefined,
      resetsAt,
      usedPct: Math.round(used),
    }),
  }
}

interface Window {
  readonly used: number
  readonly minutes: number | undefined
  readonly resetsAt: number | undefined
}

function windowOf(told: Fields | undefined): readonly Window[] {
  const used = count(told?.['used_percent'])
  const seconds = count(told?.['resets_at'])
  if (used === undefined) return []
  const resetsAt = seconds === undefined ? undefined : seconds * 1000
  return [{ used: Math.min(used, 100), minutes: count(told?.['window_minutes']), resetsAt }]
}

/** With credits, a used-up window refuses nothing. */
function hasCredits(told: Fields): boolean {
  const credits = fields(told['credits'])
  return credits?.['has_credits'] === true || credits?.['unlimited'] === true
}
