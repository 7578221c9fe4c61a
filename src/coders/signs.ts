import { firstLine } from '../domain/bounded.ts'
import type { Trouble } from '../domain/event.ts'

/** What a coder says about a failure, structured fields first. */
export interface Complaint {
  readonly text: string
  /** What it calls the failure: `rate_limit`, `overloaded`, `authentication_failed` … */
  readonly kind?: string | undefined
  /** HTTP. */
  readonly status?: number | undefined
  /** Other names of it, any of which may be the telling one. */
  readonly reasons?: readonly (string | undefined)[]
}

/** What gives a trouble away. Any of these is enough. */
export interface Sign {
  readonly code: Trouble['code']
  readonly kinds?: readonly string[]
  readonly statuses?: readonly number[]
  readonly reasons?: readonly string[]
  readonly says?: RegExp
  /** Only among these; a text alone proves less than a status does. */
  readonly among?: readonly number[]
}

const LENGTH = 300

/** The first sign that fits decides, so that their order matters. */
export function troubleBy(signs: readonly Sign[], complaint: Complaint): Trouble {
  const code = signs.find((sign) => fits(sign, complaint))?.code ?? 'error'
  return { code, text: firstLine(complaint.text, LENGTH) || code }
}

function fits(sign: Sign, { text, kind, status, reasons = [] }: Complaint): boolean {
  if (sign.among !== undefined)
    return status !== undefined && sign.among.includes(status) && sign.says?.test(text) === true
  return (
    (kind !== undefined && sign.kinds?.includes(kind) === true) ||
    (status !== undefined && sign.statuses?.includes(status) === true) ||
    reasons.some((reason) => reason !== undefined && sign.reasons?.includes(reason) === true) ||
    sign.says?.test(text) === true
  )
}

/** Nobody answered, or not to the end. */
export const NO_ANSWER =
  /connection (?:refused|reset|closed|error)|\bE(?:CONN[A-Z]+|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE)\b|timed out|fetch failed/i
