import { COMPLAINT_SETTLE_MS } from '../../domain/run/complaint-settle.ts'
import { type Outcome, RULES } from '../../domain/run/outcome.ts'
import type { RunInput } from '../../domain/run/run-machine.ts'
import { isAtWork, type Limits, wantsLook } from '../../domain/run/watchdog.ts'
import type { World } from '../world.ts'
import { type LiveRun, placeOf, vitalsOf } from './live-run.ts'

/** Looks at the processes of one that says nothing, when that would soon be called a stall. */
export function lookIfSilent({ agents }: World, live: LiveRun, limits: Limits, now: number): void {
  // Nearly always, and asked of everybody at every tick.
  if (live.state.phase !== 'running' || now - live.lastOutputAt <= limits.idle / 2) return
  const vitals = vitalsOf(live)
  if (!wantsLook(vitals, live.looked, limits, now)) return
  // Who cannot look must not take the living for dead.
  live.atWorkAt = now
  const look = { at: now, ...agents.activity(placeOf(live)) }
  if (!isAtWork(look, live.looked, vitals, limits)) live.atWorkAt = vitals.atWorkAt
  live.looked = look
}

/** Once a second. */
export function weighComplaints({ attempts }: World, live: LiveRun): void {
  live.complained = attempts.complained(live.record.task, live.record.attempt) ?? live.complained
  if (live.complained.bytes !== live.stderrSettledBytes) live.complaint ??= live.complained
}

/**
 * A coder that waits for its provider may say so on stderr alone, for days: to the watchdog it looks like a stall. Where
 * its complaints name a trouble of the lane, the run is stopped for that, which counts for nothing and is resumed later.
 */
export function whySilent(world: World, live: LiveRun, input: RunInput | undefined): RunInput | undefined {
  if (input?.kind !== 'stop' || input.want?.code !== 'stalled') return input
  const { coder, digest, record, stderrSettledBytes } = live
  const complaints = complainedLast(world, live)
    ? world.attempts.stderrTail(record.task, record.attempt, { from: stderrSettledBytes })
    : ''
  const verdict = coder.verdict({ kind: 'unknown' }, digest, complaints)
  if (verdict.kind === 'finished' || !isOfTheLane(verdict.outcome)) return input
  const text = world.environment.redact(`${input.want.text}: ${verdict.outcome.text}`)
  return { ...input, want: { ...verdict.outcome, text } }
}

/** By the clock of the files: when each was read says little of when it was written. */
function complainedLast({ attempts }: World, { record, sidecar }: LiveRun): boolean {
  const { task, attempt } = record
  const said = Math.max(attempts.printed(task, attempt)?.at ?? 0, sidecar?.stream.changedAt() ?? 0)
  return (attempts.complained(task, attempt)?.at ?? Number.NEGATIVE_INFINITY) >= said - COMPLAINT_SETTLE_MS
}

function isOfTheLane({ code }: Outcome): boolean {
  const { fate } = RULES[code]
  return fate === 'wait' || fate === 'lane-down'
}
