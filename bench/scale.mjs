import { worker } from './build.mjs'
import { inFolder, median, percentile, report } from './measure.mjs'

const ROUNDS = 7
const SMALL = { tasks: 1_000 }
const LARGE = { tasks: 100_000, dependencies: 300_000 }

export const scale = {
  name: 'scale',
  about: `claim at ${LARGE.tasks} tasks with ${LARGE.dependencies} dependencies, against ${SMALL.tasks} tasks`,
  run: () =>
    inFolder((folder) => {
      const homes = { small: folder.seed('small', SMALL), large: folder.seed('large', LARGE) }
      const times = { small: [], large: [] }
      for (let round = 0; round < ROUNDS; round++) {
        for (const side of ['small', 'large'])
          times[side].push(report(worker('scale'), [folder.copy(homes[side], 'home')]).micros)
      }
      const p99 = (side) => median(times[side].map((micros) => percentile(micros, 0.99)))
      const p50 = (side) => median(times[side].map((micros) => percentile(micros, 0.5)))
      const ratio = p99('large') / p99('small')
      return {
        figures: {
          [`large, p99 (p50), median of ${ROUNDS}`]: `${p99('large').toFixed(0)} us (${p50('large').toFixed(0)} us)`,
          [`small, p99 (p50), median of ${ROUNDS}`]: `${p99('small').toFixed(0)} us (${p50('small').toFixed(0)} us)`,
        },
        ratio: `${ratio.toFixed(2)} x`,
        bar: '<= 2 x',
        pass: ratio <= 2,
      }
    }),
}
