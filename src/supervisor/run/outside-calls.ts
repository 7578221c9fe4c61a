import type { NamedLetter } from '../../domain/agent/inbox.ts'
import { REPLIES, refusalOutside } from '../../domain/agent/outside-call.ts'
import type { World } from '../world.ts'
import type { LiveRun } from './live-run.ts'

/** Of one run at a time: an agent that asks without end keeps nobody else waiting. */
const underWay = new WeakMap<LiveRun, Promise<void>>()

/** Runs what an agent in a sandbox cannot, and leaves the answers where it can read them. */
export function answerCalls(world: World, live: LiveRun, letters: readonly NamedLetter[]): void {
  for (const letter of letters) {
    if (letter.item.kind !== 'call') continue
    const before = underWay.get(live) ?? Promise.resolve()
    underWay.set(
      live,
      before.then(() => answerCall(world, live, letter)).catch(() => {}),
    )
  }
}

/** A reply that cannot be written is not waited for for ever: the command says so. */
async function answerCall(world: World, { record }: LiveRun, { name, item }: NamedLetter): Promise<void> {
  if (item.kind !== 'call') return
  const { task, attempt, cwd } = record
  if (!world.attempts.isPart(task, attempt, REPLIES)) return
  const { argv, input } = item
  const refusal = refusalOutside(argv)
  const reply =
    refusal === undefined
      ? await world.outside.run({ argv, input, cwd, env: world.environment.of(record) })
      : { v: 1, code: 1, out: '', err: `fleet: ${refusal}\n`, letters: [] }
  world.attempts.replace(task, attempt, `${REPLIES}/${name}`, JSON.stringify(reply))
}
