import { traceGone } from '../../domain/evidence/trace.ts'
import { follow, followRest, readLetters } from '../run/follow.ts'
import type { LiveRun } from '../run/live-run.ts'
import { noteFailedHooks, reopenUnheard } from '../run/messages.ts'
import { findSidecar, followSidecar } from '../run/sidecar.ts'
import { weighComplaints } from '../run/silence.ts'
import type { World } from '../world.ts'

/** Reads all that the run printed and wrote to fleet since the last look. Nothing more can come. */
export async function readRest(world: World, live: LiveRun): Promise<void> {
  if (await isRewritten(world, live)) live.ending.altered.add('stdout.jsonl')
  const most = world.policy().limits.outputBytes
  await inPortions(() => follow(world, live) && live.output.written <= most)
  // It may have printed more than was read of it, and ended by itself.
  live.output.written = live.output.stream?.size() ?? 0
  weighComplaints(world, live)
  followRest(world, live)
  traceGone(live.trace, goneAt(world, live))
  findSidecar(world, live)
  await inPortions(() => followSidecar(world, live) && (live.sidecar?.stream.bytes ?? 0) <= most)
  readLetters(world, live, { last: true })
  noteFailedHooks(world, live)
  reopenUnheard(world, live)
  await live.accounting.versionAsked
}

function goneAt({ clock }: World, { ending }: LiveRun): { wall: number; monotonic: number } {
  const now = { wall: clock.now(), monotonic: clock.monotonic() }
  const { goneAt: monotonic = now.monotonic } = ending
  return { wall: now.wall - (now.monotonic - monotonic), monotonic }
}

/** Whether the output that was read while the agent lived has changed since. */
async function isRewritten({ attempts }: World, { record, output: { stream }, coder }: LiveRun): Promise<boolean> {
  // The output of a script decides nothing.
  if (stream === undefined || stream.bytes === 0 || coder.traits.evidence === 'exit') return false
  // More of it may be read meanwhile, for the judgement of another run.
  const read = stream.sha256()
  return (await attempts.hashOfStdout(record.task, record.attempt, stream.bytes)) !== read
}

/** A last line of 300 MB must not keep other runs waiting. `read` says whether there is more. */
async function inPortions(read: () => boolean): Promise<void> {
  for (let portion = 1; read(); portion++) {
    if (portion % 16 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}
