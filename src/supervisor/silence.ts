import { type Outcome, RULES } from '../domain/outcome.ts'
import type { RunInput } from '../domain/run-machine.ts'
import { isAtWork, type Limits, wantsLook } from '../domain/watchdog.ts'
import { follow } from './follow.ts'
import { type LiveRun, placeOf, vitalsOf } from './live-run.ts'
import { followSidecar } from './sidecar.ts'
import type { World } from './world.ts'

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

/** Looks whether its stderr has grown. */
export function noticeComplaint(world: World, live: LiveRun): void {
  const { task, attempt } = live.record
  const bytes = world.attempts.complained(task, attempt)?.bytes ?? 0
  if (bytes > live.stderrBytes) {
    // What it printed before it complained must not look later than the complaint because it was read later.
    follow(world, live)
    followSidecar(world, live)
    live.complainedAt = world.clock.monotonic()
  }
  live.stderrBytes = bytes
}

/**
 * A coder that waits for its provider may say so on stderr alone, for days: to the watchdog it looks like a stall. Where
 * its complaints name a trouble of the lane, the run is stopped for that, which counts for nothing and is resumed later.
 */
export function whySilent(world: World, live: LiveRun, input: RunInput | undefined): RunInput | undefined {
  if (input?.kind !== 'stop' || input.want?.code !== 'stalled') return input
  const { coder, digest, record, complainedAt = Number.NEGATIVE_INFINITY } = live
  // What it complained about before its last output, it has got over.
  const complains = complainedAt > live.lastOutputAt
  const complaints = complains ? world.attempts.stderrTail(record.task, record.attempt) : ''
  const verdict = coder.verdict({ kind: 'unknown' }, digest, complaints)
  if (verdict.kind === 'finished' || !isOfTheLane(verdict.outcome)) return input
  const text = world.redact(`${input.want.text}: ${verdict.outcome.text}`)
  return { ...input, want: { ...verdict.outcome, text } }
}

function isOfTheLane({ code }: Outcome): boolean {
  const { fate } = RULES[code]
  return fate === 'wait' || fate === 'lane-down'
}
