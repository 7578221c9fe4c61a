import type { Lane } from '../run/run.ts'

/** Stalls of so many tasks of one lane within so long are one incident of its provider, and not the fault of the tasks. */
export const INCIDENT_TASKS = 3
export const INCIDENT_MS = 2 * 60_000

export interface LaneStall {
  /** One that stalls again and again may be the reason itself. */
  readonly task: string
  /** Of the same clock as `now`. */
  readonly at: number
}

/** The tasks among these stalls of a lane, if they are an incident; the stall of now is one of them. */
export function incidentOf(stalls: readonly LaneStall[], now: number): readonly string[] | undefined {
  const recent = stalls.filter(({ at }) => now - at <= INCIDENT_MS)
  const tasks = [...new Set(recent.map(({ task }) => task))]
  return tasks.length >= INCIDENT_TASKS ? tasks : undefined
}

/** Whether the run was started to try a lane again that an incident has paused. */
export function triesAfterIncident(lane: Lane | undefined, { startedAt }: { readonly startedAt: number }): boolean {
  const { state, code, until } = lane ?? {}
  return state === 'paused' && code === 'provider-silent' && typeof until === 'number' && startedAt >= until
}
