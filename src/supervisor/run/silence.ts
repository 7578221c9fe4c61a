import { COMPLAINT_SETTLE_MS } from '../../domain/run/complaint-settle.ts'
import { type Outcome, RULES } from '../../domain/run/outcome.ts'
import type { RunInput } from '../../domain/run/run-machine.ts'
import { isAtWork, type Limits, wantsLook } from '../../domain/run/watchdog.ts'
import type { World } from '../world.ts'
import { vitalsOf } from './figures.ts'
import { type LiveRun, placeOf } from './live-run.ts'

/** Looks at the processes of a silent run before the silence is called a stall. */
export function lookIfSilent({ agents }: World, live: LiveRun, limits: Limits, now: number): void {
  // The usual case: every run passes here at every tick.
  if (live.state.phase !== 'running' || now - live.output.lastAt <= limits.idle / 2) return
  const { activity } = live
  const vitals = vitalsOf(live)
  if (!wantsLook(vitals, activity.look, limits, now)) return
  // If the look fails, the run counts as at work.
  activity.atWorkAt = now
  const look = { at: now, ...agents.activity(placeOf(live)) }
  if (!isAtWork(look, activity.look, vitals, limits)) activity.atWorkAt = vitals.atWorkAt
  activity.look = look
}

/** Once a second. */
export function weighComplaints({ attempts }: World, { record, stderr }: LiveRun): void {
  stderr.latest = attempts.complained(record.task, record.attempt) ?? stderr.latest
  if (stderr.latest.bytes !== stderr.settledBytes) stderr.complaint ??= stderr.latest
}

/**
 * A coder that waits for its provider may say so on stderr alone, for days: to the watchdog it looks like a stall. If its
 * complaints name a trouble of the lane, the run is stopped for that trouble: no failure is counted, and it is resumed later.
 */
export function whySilent(world: World, live: LiveRun, input: RunInput | undefined): RunInput | undefined {
  if (input?.kind !== 'stop' || input.want?.code !== 'stalled') return input
  const { coder, digest, record, stderr } = live
  const complaints = complainedLast(world, live)
    ? world.attempts.stderrTail(record.task, record.attempt, { from: stderr.settledBytes })
    : ''
  const verdict = coder.verdict({ kind: 'unknown' }, digest, complaints)
  if (verdict.kind === 'finished' || !isOfTheLane(verdict.outcome)) return input
  const text = world.environment.redact(`${input.want.text}: ${verdict.outcome.text}`)
  return { ...input, want: { ...verdict.outcome, text } }
}

/** By the files' own times: when each was read says little about when it was written. */
function complainedLast({ attempts }: World, { record, sidecar }: LiveRun): boolean {
  const { task, attempt } = record
  const said = Math.max(attempts.printed(task, attempt)?.at ?? 0, sidecar?.stream.changedAt() ?? 0)
  return (attempts.complained(task, attempt)?.at ?? Number.NEGATIVE_INFINITY) >= said - COMPLAINT_SETTLE_MS
}

function isOfTheLane({ code }: Outcome): boolean {
  const { fate } = RULES[code]
  return fate === 'wait' || fate === 'lane-down' || fate === 'refuse-model'
}
