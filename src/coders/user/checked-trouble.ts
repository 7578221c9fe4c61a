import type { Trouble } from '../../domain/run/event.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { firstLine } from '../../domain/text/bounded.ts'
import type { Verdict } from '../../ports/coder.ts'
import { count, fields, known, string } from '../shared/fields.ts'

const TROUBLES = [
  'error',
  'usage-limit',
  'overload',
  'network',
  'login',
  'billing',
  'bad-model',
  'bad-flag',
  'context-full',
  'no-session',
  'budget',
  'denied',
  'interrupted',
] as const satisfies readonly Trouble['code'][]

/** The outcomes that a coder may report. It may not report what people do, or that a task is done. */
const OUTCOMES = [...TROUBLES, 'lost', 'stalled', 'wall-clock'] as const satisfies readonly Outcome['code'][]

const LENGTH = 300

/** Trouble from a user's module; undefined: not a trouble that fleet knows. */
export function checkedTrouble(made: unknown): Trouble | undefined {
  return checked(made, TROUBLES)
}

export function checkedVerdict(made: unknown): Verdict | undefined {
  const told = fields(made)
  if (told?.['kind'] === 'finished') return { kind: 'finished' }
  const outcome = told?.['kind'] === 'failed' ? checked(told['outcome'], OUTCOMES) : undefined
  return outcome === undefined ? undefined : { kind: 'failed', outcome }
}

function checked<C extends Outcome['code']>(made: unknown, codes: readonly C[]) {
  const told = fields(made)
  const code = codes.find((each) => each === told?.['code'])
  if (told === undefined || code === undefined) return undefined
  const text = firstLine(string(told['text']) ?? code, LENGTH)
  return { code, text, ...(code === 'usage-limit' ? known({ resetsAt: count(told['resetsAt']) }) : {}) }
}
