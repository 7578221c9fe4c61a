import type { Lane } from '../domain/run.ts'
import { capAfterTrouble, laneAfter, raised } from '../domain/schedule.ts'
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
  const others = ledger.openRuns().filter(({ lane, phase }) => lane === change.name && phase !== 'ended').length
  // With the one that says it, which has ended already.
  const after = laneAfter(before, change.state === 'paused' ? { ...change, cap: capAfterTrouble(others + 1) } : change)
  ledger.saveLane(after)
  const { name, state, code, reason, until } = after
  if (before?.state === state && before.code === code) return
  if (state === 'down') log('lane down', { lane: name, code, why: reason })
  else log('lane paused', { lane: name, code, why: reason, until })
}

/** Lanes whose trouble is over by what was seen: a paused one that a run has proven, a missing program that is there now. */
export async function mendLanes(world: World, runs: Iterable<LiveRun>): Promise<boolean> {
  const lanes = world.ledger.lanes().filter(({ state, cap }) => state !== 'up' || cap !== undefined)
  if (lanes.length === 0) return false
  const all = [...runs]
  const proven = new Set(all.filter(hasProvenItsLane).map(({ record }) => record.lane))
  let mended = false
  for (const lane of lanes) {
    if (lane.state === 'up') {
      mended = raise(world, lane, all) || mended
      continue
    }
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

/** One more for each that has proven it since. Told when it is open to all again. */
function raise({ ledger, policy, log }: World, lane: Lane, runs: readonly LiveRun[]): boolean {
  const news = runs.filter((live) => live.record.lane === lane.name && !live.raisedLane && hasProvenItsLane(live))
  if (news.length === 0) return false
  for (const live of news) live.raisedLane = true
  const after = raised(lane, { proven: news.length, most: policy().maxConcurrent })
  ledger.saveLane(after)
  if (after.cap === undefined) log('lane at full width again', { lane: lane.name })
  return true
}

async function isThere(world: World, lane: Lane): Promise<boolean> {
  if (lane.code !== 'missing-binary') return false
  const coder = await world.coder(lane.name)
  return !('problem' in coder) && world.machine.findProgram(coder.binary) !== undefined
}

/** Somebody may have mended it: a new supervisor and a changed configuration try again. */
export function tryDownLanesAgain(world: World): void {
  for (const lane of world.ledger.lanes()) if (lane.state === 'down') bringUp(world, lane, 'lane tried again')
}

function bringUp(world: World, lane: Lane, event = 'lane up again'): void {
  const { ledger, clock, log } = world
  const { name, cap } = lane
  const bound = lane.state === 'paused' && cap !== undefined ? { cap } : {}
  ledger.saveLane({ name, state: 'up', until: null, code: null, reason: null, since: clock.now(), ...bound })
  log(event, { lane: name, was: lane.reason, ...bound })
}
