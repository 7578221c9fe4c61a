import { loopOf } from '../../domain/run/diagnosis/loop.ts'
import type { RunInput } from '../../domain/run/run-machine.ts'
import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'

/** Stops an agent that goes in circles. A script runs what a person wrote. */
export function whyLooping(world: World, { state, digest, coder, output }: LiveRun): RunInput | undefined {
  if (state.phase !== 'running' || coder.traits.stream === 'text' || output.resultAt !== undefined) return undefined
  const { idle } = world.policy().limits
  const loop = loopOf(digest.repeats, {
    idle,
    unpaced: output.old !== undefined,
    hasBackground: digest.pendingBackground > 0,
  })
  if (loop === undefined) return undefined
  const { redact } = world.environment
  return {
    kind: 'stop',
    want: { code: 'looping', text: redact(loop.text), sequence: loop.sequence.map((call) => redact(call)) },
  }
}
