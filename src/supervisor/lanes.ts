import type { Lane } from '../domain/run.ts'
import { laneAfter } from '../domain/schedule.ts'
import type { LiveRun } from './live-run.ts'
import type { World } from './world.ts'

/** The model has answered: whatever was wrong with the account or the provider is over. */
export function hasProvenItsLane({ digest, coder }: LiveRun): boolean {
  if (coder.traits.stream === 'text') return true
  return digest.contextNow !== undefined || digest.toolCalls > 0 || digest.result?.ok === true
}

/** What a run or a refusal says of a lane; told once for the same trouble, however many say it. */
export function closeLane({ ledger, log }: World, change: Lane): void {
  const before = ledger.lanes().find((each) => each.name === change.name)
  const after = laneAfter(before, change)
  ledger.saveLane(after)
  const { name, state, code, reason, until } = after
  if (before?.state === state && before.code === code) return
  if (state === 'down') log('lane down', { lane: name, code, why: reason })
  else log('lane paused', { lane: name, code, why: reason, until })
}

/** Lanes whose trouble is over by what was seen: a paused one that a run has proven, a missing program that is there now. */
export async function mendLanes(world: World, runs: Iterable<LiveRun>): Promise<boolean> {
  const closed = world.ledger.lanes().filter((lane) => lane.state !== 'up')
  if (closed.length === 0) return false
  const proven = new Set<string>()
  for (const live of runs) if (hasProvenItsLane(live)) proven.add(live.record.lane)
  let mended = false
  for (const lane of closed) {
    const over =
      lane.state === 'paused'
        ? proven.has(lane.name) && (lane.until ?? 0) <= world.clock.now()
        : await isThere(world, lane)
    if (!over) continue
    bringUp(world, lane)
    mended = true
  }
  return mended
}

async function isThere(world: World, lane: Lane): Promise<boolean> {
  if (lane.code !== 'missing-binary') return false
  const coder = await world.coder(lane.name)
  return coder !== undefined && world.machine.findProgram(coder.binary) !== undefined
}

/** Somebody may have mended it: a new supervisor and a changed configuration try again. */
export function tryDownLanesAgain(world: World): void {
  for (const lane of world.ledger.lanes()) if (lane.state === 'down') bringUp(world, lane, 'lane tried again')
}

function bringUp(world: World, lane: Lane, event = 'lane up again'): void {
  const { ledger, clock, log } = world
  ledger.saveLane({ name: lane.name, state: 'up', until: null, code: null, reason: null, since: clock.now() })
  log(event, { lane: lane.name, was: lane.reason })
}
