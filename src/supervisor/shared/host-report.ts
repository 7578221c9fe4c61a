import { type HostReport, type HostState, hostNames, shownState } from '../../domain/fleet/host.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'
import { Heartbeat } from './heartbeat.ts'

/** A supervisor as a heartbeat reports it. */
interface Reported {
  readonly standing: { readonly mode: HostState; readonly live: readonly LiveRun[] }
}

/** undefined: no other machine shares the queue. */
export function hostHeartbeat(world: World, supervisor: Reported): Heartbeat | undefined {
  const { hosts, clock, log } = world
  const since = clock.now()
  return (
    hosts && new Heartbeat({ hosts, clock, log, report: () => hostReport(world, { since, ...supervisor.standing }) })
  )
}

function hostReport(world: World, { since, mode, live }: Reported['standing'] & { since: number }): HostReport {
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
