import { endedBySwitch } from '../../domain/fleet/lease.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { SWITCH_RECORD } from '../../ports/dead-man.ts'
import type { World } from '../world.ts'

/** The outcome of a run that a dead man's switch has begun to end; undefined: none has, by its own record. */
export function switchedOff({ attempts, queue }: World, { id, task, attempt }: Run): Outcome | undefined {
  if (queue.shared !== true) return undefined
  try {
    const { run, lease_ms } = JSON.parse(attempts.read(task, attempt, SWITCH_RECORD) ?? '')
    return run === id && typeof lease_ms === 'number' ? endedBySwitch(lease_ms) : undefined
  } catch {
    return undefined
  }
}
