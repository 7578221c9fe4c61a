import type { Damage } from '../../domain/run/damage.ts'
import type { Run, Seen } from '../../domain/run/run.ts'
import { costBefore } from '../../domain/run/session-cost.ts'
import { subjectOfProcess } from '../../domain/verify/verification.ts'
import type { RunPlace, Sighting } from '../../ports/agents.ts'
import type { Coder, CoderTraits } from '../../ports/coder.ts'
import type { World } from '../world.ts'
import { endMarked } from './end-marked.ts'
import { askVersion } from './figures.ts'
import { readOldLetters } from './follow.ts'
import { type LaunchRecord, launchRecord, sha256 } from './launch-record.ts'
import { type LiveRun, liveRun, roomForEvents } from './live-run.ts'
import { watchPrimary } from './primary-checkout.ts'
import { switchedOff } from './switched-off.ts'

export type Adopted =
  /** It lives: follow it. */
  | { readonly kind: 'alive'; readonly live: LiveRun }
  /** All of it has gone: judge it. */
  | { readonly kind: 'gone'; readonly live: LiveRun }
  /** It was never started, and now never will be. */
  | { readonly kind: 'never-started'; readonly live: LiveRun }
  /** Its outcome is known, but its task is not settled. */
  | { readonly kind: 'ended'; readonly run: Run }

/**
 * A run of the ledger that an earlier supervisor left behind. Observed state beats recorded state; the digest is folded
 * again from the first byte of its output.
 */
export async function adopt(world: World, run: Run): Promise<Adopted> {
  if (run.phase === 'ended') return { kind: 'ended', run }
  const recorded = launchRecord(world, run)
  const launch = launchFacts(recorded)
  const { coder, forgotten } = await coderOf(world, run, launch)
  const folder = world.attempts.folder(run.task, run.attempt)
  const seen = world.ledger.seen(run.id)
  const place = {
    run: run.id,
    folder,
    proc: run.proc,
    boot: launch.boot,
    family: seen.family,
    unkeyed: isUnkeyed(seen),
  }
  const { sighting, damage } = foundWith(world, run, place)
  const age = run.proc === null ? undefined : world.agents.ageOf(run.proc)
  const elapsed = age ?? Math.max(0, world.clock.now() - run.startedAt)
  const old = world.attempts.printed(run.task, run.attempt)
  const ago = (at: number) => Math.min(Math.max(0, world.clock.now() - at), elapsed)
  const silence = ago(old?.at ?? run.startedAt)
  const altered = await isRewritten(world, run, seen)
  const switched = run.phase === 'checking' ? undefined : switchedOff(world, run)
  const adopted = (record: Run): LiveRun => {
    const live = liveRun(record, {
      coder,
      folder,
      state: { phase: 'running' },
      startedAt: world.clock.monotonic() - elapsed,
      exits: 'polled',
      knownUpTo: world.attempts.eventsUpTo(run.task, run.id),
      eventRoom: roomForEvents(world.attempts.eventBytes(run.task)),
      costBefore: costBefore(run, world.ledger.runsOf(run.task)),
      letterCheck: seen.letterCheck,
      traces: seen,
      old,
    })
    live.family = seen.family
    watchPrimary(world, live)
    // The earlier supervisor asked it to end: that reason counts, whatever its exit says.
    if (run.phase === 'stopping') {
      const want = world.ledger.wanted(run.id)
      live.state = { phase: 'stopping', since: world.clock.monotonic(), forced: false, ...(want && { want }) }
      live.ending.signal = 'SIGTERM'
    } else if (switched !== undefined) {
      live.state = { phase: 'stopping', since: world.clock.monotonic(), forced: false, want: switched }
    }
    if (switched !== undefined) {
      world.log('run-ended-by-switch', { task: run.task, run: run.id })
      live.ending.bySwitch = switched.text
    }
    askVersion(world, live)
    live.unkeyed = isUnkeyed(seen)
    live.ending.damage = damage
    if (altered) live.ending.altered.add('stdout.jsonl')
    // A file system may have another device number after the machine was started again.
    if (run.proc !== null && run.proc.bootId === world.agents.bootId()) live.output.file = seen.output
    if (forgotten) live.accounting.remembered = run.figures
    readOldLetters(world, live)
    return live
  }
  switch (sighting.kind) {
    case 'alive': {
      const proc = sighting.proc ?? run.proc
      if (proc !== null && run.phase === 'launching') {
        const { text, trusted } = recorded
        const launch = trusted ? { launch: { text, sha256: sha256(text) } } : {}
        world.ledger.launched(run.id, proc, { namespace: run.namespace, ...launch })
      }
      const live = adopted({ ...run, proc, phase: run.phase === 'stopping' ? 'stopping' : 'running' })
      live.output.lastAt = world.clock.monotonic() - silence
      return { kind: 'alive', live }
    }
    case 'gone':
      return { kind: 'gone', live: adopted(run) }
    case 'machine-lost': {
      const live = adopted(run)
      const want = { code: 'machine-lost', text: 'the machine went down while it ran' } as const
      live.state = { phase: 'stopping', since: live.startedAt, want, forced: true }
      return { kind: 'gone', live }
    }
    case 'never-started':
      // Otherwise it began between the two looks.
      if (!world.agents.forbidStart(place)) return await adopt(world, run)
      // Only an agent does that to the files of its run: it did run, and has destroyed the record of its start.
      if (damage.length > 0) return { kind: 'gone', live: adopted(run) }
      // The setup of its worktree, which the earlier supervisor ran.
      await endMarked(world.agents, (marker) => subjectOfProcess(marker).run === run.id)
      return { kind: 'never-started', live: { ...adopted(run), state: { phase: 'preparing' } } }
  }
}

/** The files of a run tell nothing while its agent keeps them locked. Once no process of it is left, they are unlocked. */
function foundWith(world: World, run: Run, place: RunPlace): { sighting: Sighting; damage: readonly Damage[] } {
  const sighting = sightingOf(world, run, place)
  if (sighting.kind === 'alive') return { sighting, damage: [] }
  const hasBegun = run.proc !== null || sighting.kind === 'gone'
  const damage = world.attempts.mend(run.task, { attempt: run.attempt, hasBegun })
  return { sighting: damage.length === 0 ? sighting : sightingOf(world, run, place), damage }
}

/** All processes of a run that was checked had gone, whatever its files and the start of the machine say today. */
function sightingOf({ agents }: World, { phase }: Run, place: RunPlace): Sighting {
  const sighting = agents.look(place)
  const hadGone = phase === 'checking' && sighting.kind !== 'alive'
  return hadGone ? { kind: 'gone', exit: { kind: 'unknown' } } : sighting
}

/** A run must be followed even if its coder is gone: otherwise its task is claimed again, and nobody ends the agent. */
async function coderOf(world: World, run: Run, launch: LaunchFacts): Promise<{ coder: Coder; forgotten: boolean }> {
  const coder = await world.coders.find(run.coder)
  if (!('problem' in coder)) return { coder, forgotten: false }
  world.log('coder-unusable', { task: run.task, run: run.id, why: coder.problem })
  return { coder: world.coders.forgotten(run.coder, launch), forgotten: true }
}

/** Whether the output differs from what an earlier supervisor has read. */
async function isRewritten({ attempts }: World, run: Run, { stdout }: Seen): Promise<boolean> {
  if (stdout === undefined) return false
  return (await attempts.hashOfStdout(run.task, run.attempt, stdout.bytes)) !== stdout.sha256
}

/** The ledger has heard of its start, from a fleet that gave its wrapper no key. */
function isUnkeyed({ launch, keyed }: Seen): boolean {
  return launch !== undefined && keyed !== true
}

/** The parts of launch.json that are needed before the run is judged. */
interface LaunchFacts extends Partial<Pick<CoderTraits, 'claim' | 'evidence'>> {
  /** The boot it was launched under, for a run whose process is not in the ledger yet. */
  readonly boot?: string
}

function launchFacts({ text, trusted }: LaunchRecord): LaunchFacts {
  if (!trusted) return {}
  try {
    const { boot, claim, evidence } = JSON.parse(text)
    return {
      ...(typeof boot === 'string' && { boot }),
      ...(claim === 'exit' && { claim }),
      ...(evidence === 'exit' && { evidence }),
    }
  } catch {
    return {}
  }
}
