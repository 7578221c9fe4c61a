import { openLedger } from '../app.ts'
import { pauseTask as decidePause } from '../domain/fleet/steering.ts'
import type { ActionContext } from './action-context.ts'
import { type DoneOnHosts, onHosts } from './claiming-on-hosts.ts'
import { type Steered, steer } from './steer.ts'

/** Interrupts the agent of a task and keeps its session; blocks a task that is not running. */
export async function pauseTask(acting: ActionContext, task: string): Promise<readonly Steered[]> {
  return await steer(acting, [task], {
    decide: decidePause,
    state: (before, by) => ({ ...before, waiting: `paused by ${by}`, waitingKind: 'paused', waitingUntil: null }),
    note: (by) => `Paused by ${by}.`,
  })
}

export type ClaimingPaused =
  /** `agents`: how many keep running. */
  | { readonly kind: 'paused'; readonly agents: number }
  | { readonly kind: 'already-paused'; readonly by: string; readonly at: number }

/** Stops claiming in this home; running agents keep running. */
export function pauseClaiming({ home, by }: ActionContext): ClaimingPaused {
  using ledger = openLedger(home)
  return ledger.together(() => {
    const before = ledger.paused()
    if (before !== undefined) return { kind: 'already-paused', ...before }
    ledger.pause(by, Date.now())
    return { kind: 'paused', agents: ledger.openRuns().length }
  })
}

/** `host`: a name or label; undefined: every machine that shares the queue. */
export async function pauseClaimingOn(
  acting: ActionContext,
  host: string | undefined,
): Promise<DoneOnHosts<ClaimingPaused>> {
  return await onHosts({ ...acting, kind: 'pause', host }, () => pauseClaiming(acting))
}
