import { openHomeStore } from '../app.ts'
import { resumeTask as decideResume, withoutWait } from '../domain/fleet/steering.ts'
import type { Resumed } from '../ports/steering.ts'
import { resumeClaiming as resumeIn } from '../store/resume.ts'
import type { ActionContext } from './action-context.ts'
import { type DoneOnHosts, onHosts } from './claiming-on-hosts.ts'
import { type Steered, steer } from './steer.ts'

/** Whether claiming was paused, and the lanes that are tried again, as they were. */
export type ClaimingResumed = Resumed

/** Opens a paused or blocked task again; its next attempt continues the session where there is one. */
export async function resumeTask(acting: ActionContext, task: string): Promise<readonly Steered[]> {
  return await steer(acting, [task], { decide: decideResume, state: withoutWait })
}

/** Ends a pause of this home, and tries lanes that are down or paused again. */
export async function resumeClaiming({ home, by }: ActionContext): Promise<ClaimingResumed> {
  await using store = await openHomeStore(home)
  return await resumeIn(store, { by, now: Date.now() })
}

/** `host`: a name or label; undefined: every machine that shares the queue. */
export async function resumeClaimingOn(
  acting: ActionContext,
  host: string | undefined,
): Promise<DoneOnHosts<ClaimingResumed>> {
  return await onHosts({ ...acting, kind: 'resume', host }, () => resumeClaiming(acting))
}
