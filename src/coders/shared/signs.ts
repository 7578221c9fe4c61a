import type { Trouble } from '../../domain/run/event.ts'
import { firstLine } from '../../domain/text/bounded.ts'

/** A coder's report of a failure, structured fields first. */
export interface Complaint {
  readonly text: string
  /** The coder's name for the failure. */
  readonly kind?: string | undefined
  /** HTTP status. */
  readonly status?: number | undefined
  /** The reasons in its result. */
  readonly reasons?: readonly (string | undefined)[]
}

/** A trouble is recognised by any of these. */
export interface Sign {
  readonly code: Trouble['code']
  readonly kinds?: readonly string[]
  readonly statuses?: readonly number[]
  readonly reasons?: readonly string[]
  readonly says?: RegExp
  /** The words count only with one of these statuses. */
  readonly among?: readonly number[]
}

/** The most characters that people see of it. */
const LENGTH = 300

/** The first match decides; without one it is `error`. */
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
