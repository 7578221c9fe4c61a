import { STUCK_MS } from '../domain/verify/stop-step.ts'
import { wait } from '../platform/runtime/wait.ts'
import type { Agents, Found, RunPlace } from '../ports/agents.ts'

const AGAIN_MS = 50

/** Kills what a command has left, in its group and elsewhere. Returns how many processes that were. */
export async function endAll(agents: Agents, place: RunPlace, left: 'nothing' | 'perhaps'): Promise<number> {
  if (left === 'nothing') return 0
  const killed = new Set<string>()
  const until = performance.now() + STUCK_MS
  for (;;) {
    const found = ownOf(agents, place)
    for (const each of found) if (agents.kill(each)) killed.add(`${each.pid} ${each.startTime}`)
    const isAlive = agents.groupAlive(place)
    if (isAlive) agents.signal(place, 'SIGKILL')
    if ((found.length === 0 && !isAlive) || performance.now() > until) return killed.size
    await wait(AGAIN_MS)
  }
}

/** Those that lost their parent are children of the launcher now, which keeps them under no name. */
function ownOf(agents: Agents, { run }: RunPlace): readonly Found[] {
  const all = agents.sweep(0)
  const strays = (all.get('') ?? []).filter(({ marker }) => marker === run)
  return [...(all.get(run) ?? []), ...strays].filter(({ reach }) => reach === undefined)
}
