import { anchor, worker } from './build.mjs'
import { byTurns, inFolder, median, report } from './measure.mjs'

const TASKS = 10_000
const ROUNDS = 15

export const claimClose = {
  name: 'claim-close',
  about: `claim + close of ${TASKS} tasks through Queue, one by one, against a bare loop of the same statements by known id`,
  run: () =>
    inFolder((folder) => {
      const seeded = folder.seed('seeded', { tasks: TASKS })
      const sides = [
        ['anchor', anchor('claim-close')],
        ['queue', worker('claim-close')],
      ]
      const rates = { queue: [], anchor: [] }
      for (let round = 0; round < ROUNDS; round++) {
        for (const [side, file] of byTurns(sides, round)) {
          const { done, seconds } = report(file, [folder.copy(seeded, 'home')])
          if (done !== TASKS) throw new Error(`${side} closed ${done} of ${TASKS} tasks`)
          rates[side].push(done / seconds)
        }
      }
      const ratio = median(rates.queue.map((rate, round) => rate / rates.anchor[round]))
      return {
        figures: {
          [`Queue, median of ${ROUNDS}`]: `${Math.round(median(rates.queue))} claim+close/s`,
          [`bare loop, median of ${ROUNDS}`]: `${Math.round(median(rates.anchor))} claim+close/s`,
        },
        ratio: `${ratio.toFixed(2)}, median of the rounds`,
        bar: '>= 0.8',
        pass: ratio >= 0.8,
      }
    }),
}
