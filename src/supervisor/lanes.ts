import { afterAnswers, afterTrouble, openForTrial } from '../domain/fleet/lane.ts'
import type { Lane, Run } from '../domain/run/run.ts'
import type { Coder } from '../ports/coder.ts'
import type { LiveRun } from './run/live-run.ts'
import type { World } from './world.ts'

/** The model has answered: whatever was wrong with the account or the provider is over. */
function hasProvenItsLane({ digest, coder }: LiveRun): boolean {
  if (coder.traits.stream === 'text') return true
  return digest.contextNow !== undefined || digest.toolCalls > 0 || digest.result?.ok === true
}

/** Whether an earlier supervisor knew that already, and so has counted it. */
export function hadProvenItsLane({ figures }: Run, coder: Coder): boolean {
  return coder.traits.stream === 'text' || figures.contextNow !== null || figures.toolCalls > 0
}

export function laneOf({ ledger }: World, name: string): Lane | undefined {
  return ledger.lanes().find((lane) => lane.name === name)
}

/** What a run that has ended, or a refusal, says of a lane; told once for the same trouble, however many say it. */
export function closeLane(world: World, trouble: Lane, startedAt: number): void {
  const { ledger, log } = world
  const before = laneOf(world, trouble.name)
  // What was changed after the run began may have mended what it met.
  const met = trouble.state === 'down' ? { ...trouble, since: Math.min(trouble.since, startedAt) } : trouble
  const others = ledger.openRuns().filter(({ lane, phase }) => lane === trouble.name && phase !== 'ended')
  const after = afterTrouble(before, met, { startedAt, running: others.length + 1 })
  ledger.saveLane(after)
  const { name, state, code, reason, until } = after
  if (before?.state === state && before.code === code) return
  if (state === 'down') log('lane-down', { lane: name, code, why: reason })
  else log('lane-paused', { lane: name, code, why: reason, until })
}

/** Lanes whose trouble is over by what was seen. True: more may start. */
export async function mendLanes(world: World, runs: Iterable<LiveRun>): Promise<boolean> {
  const proven = takeProofs(world, [...runs])
  const found = await findMissing(world)
  return proven || found
}

function takeProofs(world: World, runs: readonly LiveRun[]): boolean {
  const { ledger, clock, policy } = world
  const lanes = ledger.lanes().filter(({ state, cap }) => state === 'paused' || cap !== undefined)
  const mended = lanes.filter((lane) => {
    const proven = runs.filter((live) => live.record.lane === lane.name && hasProvenItsLane(live))
    const proofs = proven.map(({ record, raisedLane }) => ({ startedAt: record.startedAt, counted: raisedLane }))
    const after = afterAnswers(lane, proofs, { now: clock.now(), most: policy().maxConcurrent })
    if (after === undefined) return false
    ledger.saveLane(after)
    if (lane.state === 'up') for (const live of proven) live.raisedLane = true
    tellMended(world, lane, after)
    return true
  })
  return mended.length > 0
}

function tellMended({ log }: World, before: Lane, { name, state, cap }: Lane): void {
  if (before.state !== state) log('lane-up', { lane: name, was: before.reason, cap })
  else if (cap === undefined) log('lane-at-full-width', { lane: name })
}

/** A program that was missing and is there now, or is another than the one that could not be run: one run shall see. */
async function findMissing(world: World): Promise<boolean> {
  let found = false
  for (const lane of world.ledger.lanes()) {
    if (lane.state !== 'down' || !(lane.code === 'missing-binary' || lane.code === 'broken-binary')) continue
    if (await isMended(world, lane)) found = tryAgain(world, lane.name) || found
  }
  return found
}

async function isMended(world: World, { name, code, since }: Lane): Promise<boolean> {
  const { machine, clock } = world
  const coder = await world.coder(name)
  const program = 'problem' in coder ? undefined : machine.findProgram(coder.binary)
  if (program === undefined) return false
  if (code === 'missing-binary') return true
  // Coders replace themselves. Just changed when it could not be run, it was perhaps still being written.
  const changedAt = machine.changedAt(program) ?? 0
  return changedAt >= since || (changedAt >= since - WRITTEN_MS && clock.now() >= since + WRITTEN_MS)
}

const WRITTEN_MS = 10_000

/** Somebody may have mended it: a new supervisor and a changed configuration try again. */
export function tryDownLanesAgain(world: World): void {
  for (const { name } of world.ledger.lanes()) tryAgain(world, name)
}

/** Only what is down: a pause has its time. */
function tryAgain(world: World, name: string): boolean {
  const { ledger, clock, log } = world
  const lane = laneOf(world, name)
  const after = lane?.state === 'down' ? openForTrial(lane, clock.now()) : undefined
  if (after === undefined) return false
  ledger.saveLane(after)
  log('lane-tried-again', { lane: name, was: after.reason })
  return true
}
