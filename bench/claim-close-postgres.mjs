import { anchor, bundled, worker } from './build.mjs'
import { byTurns, median, race, secondsOf } from './measure.mjs'
import { withPostgres } from './postgres.mjs'

const TASKS = 4000
const PROCESSES = 4
const ROUNDS = 7

export const claimClosePostgres = {
  name: 'claim-close-postgres',
  about: `claim + close of ${TASKS} tasks on PostgreSQL by ${PROCESSES} processes, against bare SKIP LOCKED loops on the same server`,
  run: ({ rounds = ROUNDS } = {}) =>
    withPostgres(async (server) => {
      const sides = [
        ['anchor', anchor('claim-close-postgres')],
        ['queue', worker('claim-close-postgres')],
      ]
      const rates = { queue: [], anchor: [] }
      for (let round = 0; round < rounds; round++) {
        for (const [side, file] of byTurns(sides, round)) {
          rates[side].push(await once(await filled(server), file))
        }
      }
      const ratio = median(rates.queue.map((rate, round) => rate / rates.anchor[round]))
      return {
        figures: {
          [`Queue, median of ${rounds}`]: `${Math.round(median(rates.queue))} claim+close/s`,
          [`bare loops, median of ${rounds}`]: `${Math.round(median(rates.anchor))} claim+close/s`,
          'each exactly once': 'yes',
        },
        ratio: `${ratio.toFixed(2)}, median of the rounds`,
        bar: '>= 0.6',
        pass: ratio >= 0.6,
      }
    }),
}

/** A new queue for every round: the rows of one round would slow down the next. */
async function filled(server) {
  const url = server.newUrl()
  const { openPostgresStore } = bundled('server')
  const { db } = await openPostgresStore({ url, create: true })
  await db[Symbol.asyncDispose]()
  const schema = new URL(url).searchParams.get('schema')
  await server.query(
    `insert into ${schema}.task (id, id_order, title, description, priority, created_at, updated_at, metadata)
     select 'fleet-' || n, 'fleet-' || n, 'Task number ' || n, 'What is to be done in task ' || n, n % 5,
       '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '{"fleet":{"cwd":"/home/someone/project"}}'
     from generate_series(1, ${TASKS}) as n`,
  )
  await server.query(`vacuum analyze ${schema}.task`)
  return url
}

async function once(url, file) {
  const workers = await race(file, (i) => [url, `worker-${i}`], PROCESSES)
  const ids = workers.flatMap((each) => each.ids)
  if (ids.length !== TASKS || new Set(ids).size !== TASKS) {
    throw new Error(`${TASKS} tasks were claimed ${ids.length} times, ${new Set(ids).size} different ones`)
  }
  return TASKS / secondsOf(workers)
}
