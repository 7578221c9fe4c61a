import { type HostReport, type HostState, hostNames, shownState } from '../../domain/fleet/host.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'

/** What others are told of this supervisor. */
export function hostReport(
  world: World,
  { since, mode, live }: { since: number; mode: HostState; live: readonly LiveRun[] },
): HostReport {
  const { host, maxConcurrent } = world.policy()
  return {
    id: world.name,
    ...hostNames(host, world.machine.hostName),
    version: world.version,
    since,
    slots: maxConcurrent,
    state: shownState(mode, { paused: world.ledger.paused() !== undefined }),
    running: live
      .filter(({ state }) => state.phase !== 'ended')
      .map(({ record: { task, title, coder, startedAt }, state }) => {
        return { task, title, coder, since: startedAt, phase: state.phase }
      }),
  }
}
