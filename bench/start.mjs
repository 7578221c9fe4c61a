import { FLEET } from './build.mjs'
import { inFolder, median, timed } from './measure.mjs'

const ROUNDS = 41

export const start = {
  name: 'start',
  about: '`fleet ready` on 100 tasks, whole process, against a bare `node -e 0`',
  run: () =>
    inFolder((folder) => {
      const home = folder.seed('home', { tasks: 100 })
      const fleet = () => timed(process.execPath, [FLEET, 'ready', '--limit', '0'], { FLEET_HOME: home })
      const bare = () => timed(process.execPath, ['-e', '0'])
      fleet()
      bare()
      const times = { fleet: [], bare: [] }
      for (let round = 0; round < ROUNDS; round++) {
        times.bare.push(bare())
        times.fleet.push(fleet())
      }
      const ratio = median(times.fleet.map((time, round) => time / times.bare[round]))
      return {
        figures: {
          [`fleet ready, median of ${ROUNDS}`]: `${median(times.fleet).toFixed(1)} ms`,
          [`node -e 0, median of ${ROUNDS}`]: `${median(times.bare).toFixed(1)} ms`,
        },
        ratio: `${ratio.toFixed(2)} x, median of the rounds`,
        bar: '<= 2.0 x',
        pass: ratio <= 2.0,
      }
    }),
}
