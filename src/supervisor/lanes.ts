import { afterAnswers, afterTrouble, countsFor, openForTrial } from '../domain/fleet/lane.ts'
import type { Lane } from '../domain/run/run.ts'
import { acceptModels, tryModelsAgain } from './refused-models.ts'
import { answeredAt } from './run/answered.ts'
import type { LiveRun } from './run/live-run.ts'
import type { World } from './world.ts'

export function laneOf({ ledger }: World, name: string): Lane | undefined {
  return ledger.lanes().find((lane) => lane.name === name)
}

/** Pauses or downs a lane after a run's trouble or a refusal. The same trouble is logged once, however many runs meet it. */
export function closeLane(world: World, trouble: Lane, startedAt: number): void {
  const { ledger, log } = world
  const before = laneOf(world, trouble.name)
  // A change made after the run began may have fixed the trouble already.
  const met = trouble.state === 'down' ? { ...trouble, since: Math.min(trouble.since, startedAt) } : trouble
  const others = ledger.openRuns().filter(({ lane, phase }) => lane === trouble.name && phase !== 'ended')
  const after = afterTrouble(before, met, { startedAt, running: others.length + 1 })
  ledger.saveLane(after)
  const { name, state, code, reason, until, cap } = after
  if (before?.state === state && before.code === code) return
  if (state === 'down') log('lane-down', { lane: name, code, why: reason })
  else log('lane-paused', { lane: name, code, why: reason, until, cap })
}

/** Brings lanes up whose trouble is seen to be over. True: more runs may start. */
export async function mendLanes(world: World, runs: Iterable<LiveRun>): Promise<boolean> {
  const followed = [...runs]
  const proven = takeProofs(world, followed)
  const accepted = acceptModels(world, followed)
  const found = await tryReplacedPrograms(world)
  return proven || accepted || found
}

function takeProofs(world: World, runs: readonly LiveRun[]): boolean {
  const { ledger, clock, policy } = world
  const lanes = ledger.lanes().filter(({ state, cap }) => state === 'paused' || cap !== undefined)
  const mended = lanes.filter((lane) => {
    const answered = runs.flatMap((live) => {
      const at = live.record.lane === lane.name ? answeredAt(live) : undefined
      return at === undefined ? [] : [{ live, answeredAt: at, countedFor: live.raisedLaneOf }]
    })
    const after = afterAnswers(lane, answered, { now: clock.now(), most: policy().maxConcurrent })
    if (after === undefined) return false
    ledger.saveLane(after)
    if (lane.state === 'up') {
      for (const each of answered) if (countsFor(lane, each)) each.live.raisedLaneOf = lane.since
    }
    logMended(world, lane, after)
    return true
  })
  return mended.length > 0
}

export function logMended({ log }: World, before: Lane, { name, state, cap }: Lane): void {
  if (before.state !== state) log('lane-up', { lane: name, was: before.reason, cap })
  else if (cap === undefined) log('lane-at-full-width', { lane: name })
}

/** Tries a lane again when its missing program has appeared, or its broken one was replaced. */
async function tryReplacedPrograms(world: World): Promise<boolean> {
  let found = false
  for (const lane of world.ledger.lanes()) {
    if (lane.state !== 'down' || !(lane.code === 'missing-binary' || lane.code === 'broken-binary')) continue
    if (await isReplaced(world, lane)) found = tryAgain(world, lane.name) || found
  }
  for (const refused of world.ledger.refusedModels()) {
    if (refused.trialFrom !== null || ((await programChangedAt(world, refused.lane)) ?? 0) < refused.since) continue
    found = tryModelsAgain(world, ({ lane, model }) => lane === refused.lane && model === refused.model) || found
  }
  return found
}

async function isReplaced(world: World, { name, code, since }: Lane): Promise<boolean> {
  const changedAt = await programChangedAt(world, name)
  if (changedAt === undefined || code === 'missing-binary') return changedAt !== undefined
  // Coders update themselves. A program that had just changed when it failed may still have been half written.
  return changedAt >= since || (changedAt >= since - WRITTEN_MS && world.clock.now() >= since + WRITTEN_MS)
}

/** undefined: there is no such program. */
async function programChangedAt({ coders, machine }: World, name: string): Promise<number | undefined> {
  const coder = await coders.find(name)
  const program = 'problem' in coder ? undefined : machine.findProgram(coder.binary)
  return program === undefined ? undefined : (machine.changedAt(program) ?? 0)
}

const WRITTEN_MS = 10_000

/** Someone may have fixed them: a new supervisor and a changed configuration try lanes and models again. */
export function tryDownLanesAgain(world: World): void {
  for (const { name } of world.ledger.lanes()) tryAgain(world, name)
  tryModelsAgain(world, () => true)
}

/** Only a lane that is down: a paused one waits for its time. */
function tryAgain(world: World, name: string): boolean {
  const { ledger, clock, log } = world
  const lane = laneOf(world, name)
  const after = lane?.state === 'down' ? openForTrial(lane, clock.now()) : undefined
  if (after === undefined) return false
  ledger.saveLane(after)
  log('lane-tried-again', { lane: name, was: after.reason })
  return true
}
