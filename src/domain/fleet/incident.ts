import type { Lane } from '../run/run.ts'

/** So many stalls of one lane within so long are one incident of its provider, and not the fault of the tasks. */
export const INCIDENT_STALLS = 3
export const INCIDENT_MS = 2 * 60_000

/** `stalls`: when runs of the lane stalled, this one included, in milliseconds of the same clock as `now`. */
export function isIncident(stalls: readonly number[], now: number): boolean {
  return stalls.filter((at) => now - at <= INCIDENT_MS).length >= INCIDENT_STALLS
}

/** Whether the run was started to try a lane again that an incident has paused. */
export function triesAfterIncident(lane: Lane | undefined, { startedAt }: { readonly startedAt: number }): boolean {
  const { state, code, until } = lane ?? {}
  return state === 'paused' && code === 'provider-silent' && typeof until === 'number' && startedAt >= until
}
