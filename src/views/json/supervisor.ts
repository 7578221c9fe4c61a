import { shownState } from '../../domain/fleet/host.ts'
import type { SupervisorStatus } from '../supervisor.ts'

export function supervisorJson({ holder, agents, paused }: SupervisorStatus): Record<string, unknown> {
  return {
    running: holder !== undefined,
    pid: holder?.proc?.pid ?? null,
    since: holder?.startedAt == null ? null : new Date(holder.startedAt).toISOString(),
    version: holder?.version ?? null,
    state: holder?.mode == null ? null : shownState(holder.mode, { paused: paused !== undefined }),
    agents,
    paused: paused === undefined ? null : { by: paused.by, at: new Date(paused.at).toISOString() },
  }
}
