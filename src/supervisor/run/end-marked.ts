import type { Agents } from '../../ports/agents.ts'

const LOOK_EVERY_MS = 100
/** A process that does not die of SIGKILL holds up nothing for longer. */
const STUCK_MS = 10_000

/** Kills all processes with such a marker, which are those of no agent. */
export async function endMarked(agents: Agents, isMeant: (marker: string) => boolean): Promise<void> {
  for (const since = performance.now(); performance.now() - since < STUCK_MS; ) {
    const all = agents.sweep(0)
    const strays = (all.get('') ?? []).filter(({ marker }) => marker !== undefined && isMeant(marker))
    const own = [...all].flatMap(([marker, found]) => (marker !== '' && isMeant(marker) ? found : []))
    const found = [...own, ...strays].filter(({ reach }) => reach === undefined)
    for (const each of found) agents.kill(each)
    if (found.length === 0) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
