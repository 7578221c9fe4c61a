import type { OutcomeCode } from '../../domain/run/outcome.ts'
import type { Request } from '../../domain/run/run.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Asked } from './active-runs.ts'

type StopRequest = Request & { readonly kind: Exclude<Request['kind'], 'drain'> }

export function isStop(request: Request): request is StopRequest {
  return request.kind !== 'drain'
}

/** How a run ends that a person asks to stop. */
export function askedStop({ id, kind, by }: StopRequest): Asked {
  const [code, did] = ENDS[kind]
  return { request: id, want: { code, text: `${did} by ${by}`, by } }
}

const ENDS = {
  kill: ['killed', 'stopped'],
  'pause-task': ['paused', 'paused'],
  'tell-now': ['told', 'interrupted for a message'],
} as const satisfies Record<Exclude<Request['kind'], 'drain'>, readonly [OutcomeCode, string]>

/** The requests to stop the run of a task that have no answer yet. */
export function openStops(ledger: Ledger, task: string): readonly Asked[] {
  return ledger
    .pendingRequests()
    .filter(isStop)
    .filter((each) => each.task === task)
    .map(askedStop)
}
