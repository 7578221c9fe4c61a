import type { Run, Seen } from '../domain/run.ts'
import { costBefore } from '../domain/session-cost.ts'
import type { Coder } from '../ports/coder.ts'
import { readOldLetters } from './follow.ts'
import { hadProvenItsLane } from './lanes.ts'
import { sha256 } from './launch.ts'
import { askVersion, type LiveRun, liveRun } from './live-run.ts'
import type { World } from './world.ts'

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
  const coder = await coderOf(world, run)
  const folder = world.attempts.folder(run.task, run.attempt)
  const seen = world.ledger.seen(run.id)
  const place = { run: run.id, folder, proc: run.proc, boot: bootOf(world, run) }
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
async function coderOf(world: World, { coder: name, task, id }: Run): Promise<Coder> {
  const coder = await world.coder(name)
  if (!('problem' in coder)) return coder
  world.log('its coder is gone: what it prints is taken for text', { task, run: id, why: coder.problem })
  return world.forgottenCoder(name)
}

/** Whether what an earlier supervisor has read is not what stands there now. */
async function isRewritten({ attempts }: World, run: Run, { stdout }: Seen): Promise<boolean> {
  if (stdout === undefined) return false
  return (await attempts.hashOfStdout(run.task, run.attempt, stdout.bytes)) !== stdout.sha256
}

/** The start of the machine that it was launched under, for one whose process nobody had time to write down. */
function bootOf({ attempts }: World, run: Run): string | undefined {
  try {
    const { boot } = JSON.parse(attempts.read(run.task, run.attempt, 'launch.json') ?? '')
    return typeof boot === 'string' ? boot : undefined
  } catch {
    return undefined
  }
}
