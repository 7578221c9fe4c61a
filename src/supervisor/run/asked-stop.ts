import type { Request } from '../../domain/run/run.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Asked } from './active-runs.ts'

/** How a run ends that a person asks to stop. */
export function askedStop({ id, kind, by }: Request): Asked {
  const [code, did] = kind === 'kill' ? (['killed', 'stopped'] as const) : (['paused', 'paused'] as const)
  return { request: id, want: { code, text: `${did} by ${by}`, by } }
}

/** The requests to stop the run of a task that have no answer yet. */
export function openStops(ledger: Ledger, task: string): readonly Asked[] {
  return ledger
    .pendingRequests()
    .filter((each) => each.kind !== 'drain' && each.task === task)
    .map(askedStop)
}
