import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { hangBell } from './bell.mjs'
import { bundled, FLEET } from './build.mjs'
import { elapsed, now } from './clock.mjs'
import { median, percentile, run } from './measure.mjs'
import { withPostgres } from './postgres.mjs'
import { startSupervisor, until } from './supervisor.mjs'

const ROUNDS = 100
const BAR = 30

export const createToStartPostgres = {
  name: 'create-to-start-postgres',
  about:
    "from asking for a new task in one process to the agent's first instruction, by the supervisor of another home",
  run: ({ rounds = ROUNDS } = {}) =>
    withPostgres(async (server, folder) => {
      const url = server.newUrl()
      const home = join(folder.path, 'home')
      run(process.execPath, [FLEET, 'init', '--queue', url], { FLEET_HOME: home })
      run(process.execPath, [FLEET, 'config', 'set', 'coder=shell'], { FLEET_HOME: home })
      const { asked, made } = await measure({ folder, home, url, rounds })
      const p50 = median(asked)
      return {
        figures: {
          [`from asking, of ${rounds}`]: spread(asked),
          [`from its being made, of ${rounds}`]: spread(made),
        },
        ratio: `p50 ${p50.toFixed(1)} ms`,
        bar: `p50 <= ${BAR} ms from asking`,
        pass: p50 <= BAR,
      }
    }),
}

const spread = (times) => `p50 ${median(times).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`

async function measure({ folder, home, url, rounds }) {
  const { openPostgresStore, PostgresQueue } = bundled('server')
  const cwd = join(folder.path, 'project')
  mkdirSync(cwd)
  const path = join(folder.path, 'bell')
  const bell = hangBell(path)
  const queue = new PostgresQueue(await openPostgresStore({ url }))
  const supervisor = await startSupervisor(home)
  const times = { asked: [], made: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      const word = `ring-${round}`
      const draft = { title: 'Ring the bell', description: `echo ${word} >${path}`, metadata: { fleet: { cwd } } }
      const asked = now()
      const { id } = await queue.create(draft, 'bench')
      const made = now()
      const rang = await bell.at(word)
      times.asked.push(elapsed(asked, rang))
      // The agent may be faster than the answer to this process.
      times.made.push(elapsed(made, rang, { signed: true }))
      // The next round needs a free slot and an idle supervisor.
      await until('its task is closed', async () => (await queue.get(id))?.status === 'closed')
    }
  } finally {
    await supervisor.stop()
    await queue[Symbol.asyncDispose]()
    bell[Symbol.dispose]()
  }
  return times
}
