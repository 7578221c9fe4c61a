import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scratchBase } from '../../scripts/scratch.mjs'
import { rfc3339 } from '../../src/domain/task/time.ts'
import { Bd } from '../../src/queues/beads/bd.ts'
import { BeadsQueue } from '../../src/queues/beads/queue.ts'
import { openStore } from '../../src/queues/sqlite/open.ts'
import { FLEET, run } from '../support/cli.ts'
import { bd, force, freshBeads, realBd, withRealBd } from '../support/real-bd.ts'
import { BUILT } from '../support/workers.ts'
import type { QueueUnderTest } from './subject.ts'

/** The version of bd, asked once for all cases and not by each of them. */
let version = ''
const memory = {
  get: () => version,
  set(text: string): void {
    version = text
  },
}

/** A fresh store with a real bd. The test's clock starts at the current time, because bd uses the real one. */
export async function openBeads(): Promise<QueueUnderTest> {
  const folder = mkdtempSync(join(scratchBase(), 'fleet-contract-'))
  const path = join(folder, 'fleet.db')
  const beads = join(folder, '.beads')
  freshBeads(beads)
  const clock = { millis: Math.floor(Date.now() / 1000) * 1000 }
  const db = openStore({ path, create: true })
  db.exec(`insert into meta (key, value) values ('queue', 'beads')`)
  const queue = new BeadsQueue(db, {
    bd: new Bd({ beads, env: withRealBd(), memory }),
    beads,
    clock: { now: () => clock.millis },
  })
  const byHand = (...argv: string[]): void => void bd(beads, ['--actor', 'anna', ...argv])
  return {
    queue,
    values: queue.values,
    clock,
    effort: 0.04,
    connection: () => ({
      module: join(BUILT, 'connect-beads.cjs'),
      options: { path, beads, now: clock.millis, bd: dirname(realBd), version },
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
