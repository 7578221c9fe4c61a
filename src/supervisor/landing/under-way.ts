import type { Landing } from '../../domain/landing/landing.ts'
import { warnOnReceipts } from '../ending/receipt.ts'
import { endMarked } from '../run/end-marked.ts'
import type { World } from '../world.ts'
import { compareRepository } from './trust.ts'

/**
 * Before the first program of a landing. Its checks and hooks run what an agent wrote, while perhaps no run is open: until the
 * end a command may be such a program's, and so may a change of the home's files.
 */
export function begin({ ledger, homeFiles }: World, { task, run }: Landing): void {
  ledger.together(() => {
    homeFiles.expose()
    ledger.landings.begin({ task, run })
  })
}

/** Ends what a landing has left running, and looks at what it changed. Also for one that a killed supervisor left. */
export async function end(world: World, { task, run }: Pick<Landing, 'task' | 'run'>): Promise<void> {
  const { ledger, homeFiles, agents } = world
  if (!ledger.landings.underWay().some((each) => each.task === task)) return
  await endMarked(agents, (marker) => marker.startsWith(`${run}-`))
  homeFiles.look()
  for (const change of homeFiles.changesDuring(run)) warnOnReceipts(world, { ...change, runs: [run] })
  const landing = ledger.landings.of(task)
  if (landing !== undefined) await compareRepository(world, landing)
  ledger.landings.end(task)
}
