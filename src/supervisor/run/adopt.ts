import type { Run, Seen } from '../../domain/run/run.ts'
import { costBefore } from '../../domain/run/session-cost.ts'
import type { Coder, CoderTraits } from '../../ports/coder.ts'
import { hadProvenItsLane } from '../lanes.ts'
import type { World } from '../world.ts'
import { readOldLetters } from './follow.ts'
import { sha256 } from './launch.ts'
import { askVersion, type LiveRun, liveRun } from './live-run.ts'

export type Adopted =
  /** It lives: go on with it. */
  | { readonly kind: 'alive'; readonly live: LiveRun }
  /** It has gone meanwhile: judge it. */
  | { readonly kind: 'gone'; readonly live: LiveRun }
  /** It was never started, and now never will be. */
  | { readonly kind: 'never-started'; readonly live: LiveRun }
  /** Its outcome is known, only its task was not settled. */
  | { readonly kind: 'ended'; readonly run: Run }

/**
 * A run of the ledger that an earlier supervisor left behind. What is observed beats what is recorded; its state is
 * folded again from the first byte of what it printed.
 */
export async function adopt(world: World, run: Run): Promise<Adopted> {
  if (run.phase === 'ended') return { kind: 'ended', run }
  const launch = launchOf(world, run)
  const { coder, forgotten } = await coderOf(world, run, launch)
  const folder = world.attempts.folder(run.task, run.attempt)
  const seen = world.ledger.seen(run.id)
  const place = { run: run.id, folder, proc: run.proc, boot: launch.boot }
  const sighting = world.agents.look(place)
  const age = run.proc === null ? undefined : world.agents.ageOf(run.proc)
  const elapsed = age ?? Math.max(0, world.clock.now() - run.startedAt)
  const old = world.attempts.printed(run.task, run.attempt)
  const ago = (at: number) => Math.min(Math.max(0, world.clock.now() - at), elapsed)
  const silence = ago(old?.at ?? run.startedAt)
  const altered = await isRewritten(world, run, seen)
  const adopted = (record: Run): LiveRun => {
    const live = liveRun(record, {
      coder,
      folder,
      state: { phase: 'running' },
      adopted: true,
      startedAt: world.clock.monotonic() - elapsed,
      knownUpTo: world.attempts.eventsUpTo(run.task, run.id),
      costBefore: costBefore(run, world.ledger.runsOf(run.task)),
      old,
    })
    // It was asked to end by one that did not see it: that is why, whatever its exit says.
    const want = run.phase === 'stopping' ? world.ledger.wanted(run.id) : undefined
    if (run.phase === 'stopping') {
      live.state = { phase: 'stopping', since: world.clock.monotonic(), forced: false, ...(want && { want }) }
    }
    askVersion(world, live)
    live.altered = altered
    if (forgotten) live.figures = run.figures
    live.raisedLane = hadProvenItsLane(run, coder)
    readOldLetters(world, live)
    return live
  }
  switch (sighting.kind) {
    case 'alive': {
      const proc = sighting.proc ?? run.proc
      if (proc !== null && run.phase === 'launching') {
        const launch = sha256(world.attempts.read(run.task, run.attempt, 'launch.json') ?? '')
        world.ledger.launched(run.id, proc, { namespace: run.namespace, launch })
      }
      const live = adopted({ ...run, proc, phase: run.phase === 'stopping' ? 'stopping' : 'running' })
      live.lastOutputAt = world.clock.monotonic() - silence
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
      if (world.agents.forbidStart(place)) return { kind: 'never-started', live: adopted(run) }
      // It began between the two looks.
      return await adopt(world, run)
  }
}

/** Whatever became of its coder: who is not in hand can be claimed again, and ended by nobody. */
async function coderOf(world: World, run: Run, launch: LaunchRecord): Promise<{ coder: Coder; forgotten: boolean }> {
  const coder = await world.coders.find(run.coder)
  if (!('problem' in coder)) return { coder, forgotten: false }
  world.log('coder-unusable', { task: run.task, run: run.id, why: coder.problem })
  return { coder: world.coders.forgotten(run.coder, launch), forgotten: true }
}

/** Whether what an earlier supervisor has read is not what stands there now. */
async function isRewritten({ attempts }: World, run: Run, { stdout }: Seen): Promise<boolean> {
  if (stdout === undefined) return false
  return (await attempts.hashOfStdout(run.task, run.attempt, stdout.bytes)) !== stdout.sha256
}

/** What was written down before it was started, as far as anybody needs it before the run is judged. */
interface LaunchRecord extends Partial<Pick<CoderTraits, 'claim' | 'evidence'>> {
  /** The start of the machine, for one whose process nobody had time to write down. */
  readonly boot?: string
}

function launchOf({ attempts }: World, run: Run): LaunchRecord {
  try {
    const { boot, claim, evidence } = JSON.parse(attempts.read(run.task, run.attempt, 'launch.json') ?? '')
    return {
      ...(typeof boot === 'string' && { boot }),
      ...(claim === 'exit' && { claim }),
      ...(evidence === 'exit' && { evidence }),
    }
  } catch {
    return {}
  }
}
