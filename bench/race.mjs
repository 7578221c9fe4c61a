import { worker } from './build.mjs'
import { inFolder, median, race as raceOf } from './measure.mjs'

const TASKS = 5_000
const WORKERS = 8
const ROUNDS = 9
/** A worker with less than this part of an even share, in any round, counts as starved. */
const FAIR = 0.2

export const race = {
  name: 'race',
  about: `${WORKERS} processes racing to claim and close ${TASKS} tasks, against one process doing it alone`,
  run: () =>
    inFolder(async (folder) => {
      const seeded = folder.seed('seeded', { tasks: TASKS })
      const rates = { alone: [], together: [] }
      const shares = []
      for (let round = 0; round < ROUNDS; round++) {
        rates.alone.push((await once(folder.copy(seeded, 'home'), 1)).rate)
        const { rate, share } = await once(folder.copy(seeded, 'home'), WORKERS)
        rates.together.push(rate)
        shares.push(share)
      }
      const ratio = median(rates.together.map((rate, round) => rate / rates.alone[round]))
      const least = Math.min(...shares.flat())
      const most = Math.max(...shares.flat())
      const fair = (FAIR * TASKS) / WORKERS
      return {
        figures: {
          [`${WORKERS} processes, median of ${ROUNDS}`]: `${Math.round(median(rates.together))} claim+close/s`,
          [`1 process, median of ${ROUNDS}`]: `${Math.round(median(rates.alone))} claim+close/s`,
          'tasks per worker, of any round': `${least} to ${most} (even share ${TASKS / WORKERS}, starved below ${Math.ceil(fair)})`,
          'tasks per worker, usual round': `${median(shares.map((share) => Math.min(...share)))} to ${median(shares.map((share) => Math.max(...share)))}`,
          'each exactly once': 'yes',
        },
        ratio: `${ratio.toFixed(2)}, median of the rounds`,
        bar: '>= 0.7, each task exactly once, nobody starved',
        pass: ratio >= 0.7 && least >= fair,
      }
    }),
}

async function once(home, count) {
  const workers = await raceOf(worker('race'), (i) => [home, `worker-${i}`], count)
  const ids = workers.flatMap((each) => each.ids)
  if (ids.length !== TASKS || new Set(ids).size !== TASKS) {
    throw new Error(`${TASKS} tasks were claimed ${ids.length} times, ${new Set(ids).size} different ones`)
  }
  const began = Math.min(...workers.map((each) => each.began))
  const ended = Math.max(...workers.map((each) => each.ended))
  return { rate: (TASKS / (ended - began)) * 1000, share: workers.map((each) => each.ids.length) }
}
