import { COMPLAINT_SETTLE_MS } from '../../domain/run/complaint-settle.ts'
import { type Diagnosis, diagnose, type Silence } from '../../domain/run/diagnosis/diagnose.ts'
import { type Growth, withGrowth } from '../../domain/run/diagnosis/growth.ts'
import { withLook } from '../../domain/run/diagnosis/look.ts'
import { type Outcome, RULES } from '../../domain/run/outcome.ts'
import type { RunInput } from '../../domain/run/run-machine.ts'
import { isAtWork, isOf, type Limits, quietSince, silenceLimit, wantsLook } from '../../domain/run/watchdog.ts'
import { elapsed } from '../../domain/text/moment.ts'
import type { World } from '../world.ts'
import { vitalsOf } from './figures.ts'
import { type LiveRun, placeOf } from './live-run.ts'

/** At most so often, however the looks fail. */
const LOOK_AGAIN_MS = 500

/** Looks at the processes and transcripts of a silent run before the silence is called a stall. */
export function lookIfSilent(world: World, live: LiveRun, limits: Limits, now: number): void {
  const { activity, output } = live
  // The usual case: every run passes here at every tick.
  if (live.state.phase !== 'running' || now - output.lastAt <= LOOK_AGAIN_MS) {
    unsay(live)
    return
  }
  if (!isOf(activity.looks, output.lastAt)) {
    activity.looks = undefined
    unsay(live)
  }
  if (now - activity.triedAt < LOOK_AGAIN_MS) return
  const vitals = vitalsOf(live)
  if (!wantsLook(vitals, activity.looks, limits, now)) return
  const limit = silenceLimit(vitals, limits)
  activity.triedAt = now
  // If the look fails, the run counts as at work.
  activity.atWorkAt = now
  const { ageMs, ...seen } = world.agents.activity(placeOf(live))
  const look = { at: now - ageMs, ...seen }
  const looks = withLook(activity.looks, look, limit / 2)
  activity.transcript = transcriptNow(world, live, now)
  const grewAt = activity.transcript?.grewAt
  if (!isAtWork(looks, vitals, { limit, now })) activity.atWorkAt = laterOf(vitals.atWorkAt, grewAt)
  activity.looks = looks
  const { verdict, text } = diagnosisOf(world, live, limits, now)
  say(live, { verdict, text })
}

function unsay({ activity, unwritten }: LiveRun): void {
  if (activity.silence === undefined) return
  activity.silence = undefined
  unwritten.figuresChanged = true
}

function say({ activity, unwritten }: LiveRun, silence: Silence): void {
  activity.silence = silence
  unwritten.figuresChanged = true
}

/** Its own transcript is read as it grows; the files of its sub-agents are only looked at. */
function transcriptNow(
  { attempts, clock, environment, machine }: World,
  live: LiveRun,
  now: number,
): Growth | undefined {
  const { session } = live.digest
  const folders = live.coder.sidecar?.subagents
  if (session === undefined || folders === undefined) return undefined
  const { startedAt, cwd } = live.record
  const run = { session, startedAt, cwd: machine.realPath(cwd), env: environment.of(live.record) }
  const files = attempts.filesIn(folders(run))
  return files === undefined ? undefined : withGrowth(live.activity.transcript, files, { now, wall: clock.now() })
}

function laterOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
}

function diagnosisOf({ environment, clock }: World, live: LiveRun, limits: Limits, now: number): Diagnosis {
  const { activity, digest, output } = live
  const vitals = vitalsOf(live)
  const wall = clock.now()
  const { limit, retrying } = digest
  const rejected =
    limit?.status === 'rejected' ? `the provider told a limit${limit.name ? ` (${limit.name})` : ''}` : undefined
  const again = retrying && `it tried again after: ${environment.redact(retrying.text)}`
  const isForLimit = retrying !== undefined && isLimit(retrying)
  return diagnose({
    begun: output.firstEventAt !== undefined,
    silentMs: now - silentSince(live),
    quietMs: now - quietSince(vitals),
    limitMs: silenceLimit(vitals, limits),
    tools: [...digest.openTools.values()].map(({ name, kind, detail, since }) => ({
      name,
      kind,
      detail: detail === undefined ? undefined : environment.redact(detail),
      openMs: wall - since,
    })),
    looks: isOf(activity.looks, output.lastAt) ? activity.looks : undefined,
    transcriptMs: activity.transcript && now - activity.transcript.grewAt,
    limit: rejected ?? (isForLimit ? again : undefined),
    retrying: isForLimit ? undefined : again,
    unanswered: digest.unanswered,
  })
}

function silentSince({ output, startedAt }: LiveRun): number {
  return output.firstEventAt === undefined ? startedAt : output.lastAt
}

/** Once a second. */
export function weighComplaints({ attempts }: World, { record, stderr }: LiveRun): void {
  stderr.latest = attempts.complained(record.task, record.attempt) ?? stderr.latest
  if (stderr.latest.bytes !== stderr.settledBytes) stderr.complaint ??= stderr.latest
}

/**
 * Why a run has stalled, with the evidence. A coder that waits for its provider may say so on stderr alone, for days: to the
 * watchdog it looks like a stall. If its complaints or its last events name a trouble of the lane, the run is stopped for that
 * trouble: no failure is counted, and it is resumed later.
 */
export function whySilent(world: World, live: LiveRun, input: RunInput | undefined): RunInput | undefined {
  if (input?.kind !== 'stop' || input.want?.code !== 'stalled') return input
  const now = world.clock.monotonic()
  const { stall, text: seen } = diagnosisOf(world, live, world.policy().limits, now)
  const trouble = troubleOf(world, live)
  if (trouble !== undefined) {
    const text = world.environment.redact(`${input.want.text}: ${trouble.text}`)
    const cause = isLimit(trouble) ? 'quota' : stall?.cause
    return { ...input, want: { ...trouble, text, ...(stall && cause && { stall: { ...stall, cause } }) } }
  }
  if (stall === undefined) return undefined
  return { ...input, want: { code: 'stalled', text: `silent ${elapsed(now - silentSince(live))}: ${seen}`, stall } }
}

/** The trouble of its lane that a silent run has told; undefined: it told none. */
function troubleOf(world: World, live: LiveRun): Outcome | undefined {
  const { coder, digest, record, stderr } = live
  const complaints = complainedLast(world, live)
    ? world.attempts.stderrTail(record.task, record.attempt, { from: stderr.settledBytes })
    : ''
  const verdict = coder.verdict({ kind: 'unknown' }, digest, complaints)
  const { limit, retrying } = digest
  const candidates: readonly (Outcome | undefined)[] = [
    verdict.kind === 'finished' ? undefined : verdict.outcome,
    limit?.status === 'rejected' ? limitReached(limit) : undefined,
    retrying,
  ]
  return candidates.find((each) => each !== undefined && isOfTheLane(each))
}

function limitReached({ name, resetsAt }: { readonly name?: string; readonly resetsAt?: number }): Outcome {
  const text = `a limit of the account${name === undefined ? '' : ` (${name})`}`
  return { code: 'usage-limit', text, ...(resetsAt !== undefined && { resetsAt }) }
}

/** By the files' own times: when each was read says little about when it was written. */
function complainedLast({ attempts }: World, { record, sidecar }: LiveRun): boolean {
  const { task, attempt } = record
  const said = Math.max(attempts.printed(task, attempt)?.at ?? 0, sidecar?.stream.changedAt() ?? 0)
  return (attempts.complained(task, attempt)?.at ?? Number.NEGATIVE_INFINITY) >= said - COMPLAINT_SETTLE_MS
}

/** The account or the provider has no room for it now. */
function isLimit({ code }: Outcome): boolean {
  return code === 'usage-limit' || code === 'overload'
}

function isOfTheLane({ code }: Outcome): boolean {
  const { fate } = RULES[code]
  return fate === 'wait' || fate === 'lane-down' || fate === 'refuse-model'
}
