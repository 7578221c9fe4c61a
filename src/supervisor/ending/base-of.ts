import type { Run } from '../../domain/run/run.ts'
import type { Base } from '../../ports/workspace.ts'
import { type LaunchRecord, launchRecord, ownLaunchRecord } from '../run/launch-record.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { World } from '../world.ts'

/** The state of the project before the run; undefined: its record cannot be read, or only an altered one is left. */
export function baseOf(world: World, run: Run): Base | undefined {
  return baseIn(launchRecord(world, run))
}

/** The same of a run that ends. */
export function ownBaseOf(world: World, live: LiveRun): Base | undefined {
  return baseIn(ownLaunchRecord(world, live))
}

function baseIn({ text, trusted }: LaunchRecord): Base | undefined {
  try {
    return trusted ? ((JSON.parse(text) as { base?: Base }).base ?? undefined) : undefined
  } catch {
    return undefined
  }
}

/** The file's own time where that is earlier: our clock may have been set meanwhile. */
export function beganAt({ attempts }: World, { task, attempt, startedAt }: Run): number {
  return Math.min(startedAt, attempts.recordedAt(task, attempt) ?? startedAt)
}
