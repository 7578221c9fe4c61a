import type { Trouble } from '../../domain/run/event.ts'
import { firstLine } from '../../domain/text/bounded.ts'

/** What a coder says about a failure, structured fields first. */
export interface Complaint {
  readonly text: string
  /** The coder's own name for it. */
  readonly kind?: string | undefined
  /** HTTP. */
  readonly status?: number | undefined
  /** Why it ended, as its result says. */
  readonly reasons?: readonly (string | undefined)[]
}

/** What tells a trouble, any of these. */
export interface Sign {
  readonly code: Trouble['code']
  readonly kinds?: readonly string[]
  readonly statuses?: readonly number[]
  readonly reasons?: readonly string[]
  readonly says?: RegExp
  /** Only among these; a text alone proves less than a status does. */
  readonly among?: readonly number[]
}

/** Characters of what people read of it. */
const LENGTH = 300

/** The first sign that fits decides; none: `error`. */
export function troubleBySigns(signs: readonly Sign[], complaint: Complaint): Trouble {
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
