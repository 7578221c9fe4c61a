import { INCIDENT_MS, incidentOf, type LaneStall, triesAfterIncident } from '../../domain/fleet/incident.ts'
import { CAUSES } from '../../domain/run/diagnosis/cause.ts'
import type { RunInput } from '../../domain/run/run-machine.ts'
import { laneOf } from '../lanes.ts'
import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'

/** The recent stalls of each lane: several of them together are one incident, which pauses the lane and counts for no task. */
export class Incidents {
  /** Of the monotonic clock. */
  readonly #stalls = new Map<string, readonly LaneStall[]>()

  /** The input to stop a run, with the outcome that its stall has beside those of other runs. */
  weigh(world: World, { record }: LiveRun, input: RunInput | undefined): RunInput | undefined {
    const want = input?.kind === 'stop' ? input.want : undefined
    if (want?.code !== 'stalled' || want.stall === undefined || !CAUSES[want.stall.cause].isOfProvider) return input
    const { lane: name, task } = record
    const now = world.clock.monotonic()
    const stalls = [...(this.#stalls.get(name) ?? []).filter(({ at }) => now - at <= INCIDENT_MS), { task, at: now }]
    this.#stalls.set(name, stalls)
    const isTrial = triesAfterIncident(laneOf(world, name), record)
    const tasks = incidentOf(stalls, now)
    if (!isTrial && tasks === undefined) return input
    const seen = isTrial
      ? `${name} is still silent`
      : `agents of ${name} at ${tasks?.length} tasks fell silent within two minutes`
    return { kind: 'stop', want: { ...want, code: 'provider-silent', text: `${seen}; this one: ${want.text}` } }
  }
}
