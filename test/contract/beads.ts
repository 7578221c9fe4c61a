import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rfc3339 } from '../../src/domain/task/time.ts'
import { FLEET, run } from '../support/cli.ts'
import { bd, FRUGAL, force, realBd, withRealBd } from '../support/real-bd.ts'
import { BUILT } from '../support/workers.ts'
import { bdVersion, startOn } from './beads-start.ts'
import type { Given } from './given.ts'
import type { QueueUnderTest } from './subject.ts'

/** A store with a real bd, and with what the case starts with. */
export async function openBeads(given: Given): Promise<QueueUnderTest> {
  const { folder, queue, clock, claims } = await startOn(given)
  const beads = join(folder, '.beads')
  const byHand = (...argv: string[]): void => void bd(beads, ['--actor', 'anna', ...argv])
  return {
    queue,
    values: queue.values,
    clock,
    claims,
    effort: 0.04,
    connection: () => ({
      module: join(BUILT, 'connect-beads.cjs'),
      options: {
        path: join(folder, 'fleet.db'),
        beads,
        now: clock.millis,
        bd: dirname(realBd),
        version: bdVersion(),
        ...FRUGAL,
      },
    }),
    createAll: async (titles) => {
      const created_at = rfc3339(clock.millis)
      const tasks = titles.map((title, i) => ({ id: `fleet-all${i}`, title, created_at, priority: 2, status: 'open' }))
      bd(beads, ['--actor', 'maker', 'import', '-'], tasks.map((task) => `${JSON.stringify(task)}\n`).join(''))
      return tasks.map(({ id }) => id)
    },
    byHand: {
      reassign: async (id, assignee) => byHand('update', id, '--assignee', assignee, ...force()),
      // Through fleet, because bd records nothing if the task is already open.
      reopen: async (id) => {
        const argv = [FLEET, 'bd', '--actor', 'anna', 'update', id, '--status', 'open', '--assignee', '', ...force()]
        const ran = run(process.execPath, argv, { cwd: '/', env: { ...withRealBd(), FLEET_HOME: folder } })
        if (ran.code !== 0) throw new Error(ran.stderr)
      },
      park: async (id) => byHand('update', id, '--status', 'blocked'),
      remove: async (id) => byHand('delete', id, '--force'),
    },
    async [Symbol.asyncDispose]() {
      await queue[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
