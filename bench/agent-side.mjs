import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FLEET } from './build.mjs'
import { inFolder, median, timed } from './measure.mjs'

const ROUNDS = 21
/** A run signs its letters. */
const KEY = 'fleet-key-BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw'
const COMMANDS = { done: ['done', 'Fixed it'], ask: ['ask', 'Which one?'], note: ['note', 'Seen'] }

export const agentSide = {
  name: 'agent-side',
  about: '`fleet done`, `ask` and `note` inside a run, whole process, against a bare `node -e 0`',
  run: () =>
    inFolder((folder) => {
      const home = join(folder.path, 'home')
      mkdirSync(home)
      const env = { FLEET_HOME: home, FLEET_RUN_ID: 'run', FLEET_TASK_ID: 'fleet-a1b', FLEET_RUN_KEY: KEY }
      const bare = () => timed(process.execPath, ['-e', '0'])
      const fleet = (argv) => timed(process.execPath, [FLEET, ...argv], env)
      bare()
      const figures = {}
      const ratios = Object.entries(COMMANDS).map(([name, argv]) => {
        fleet(argv)
        const times = Array.from({ length: ROUNDS }, () => ({ bare: bare(), fleet: fleet(argv) }))
        rmSync(join(home, 'tasks'), { recursive: true })
        const ratio = median(times.map((round) => round.fleet / round.bare))
        const [mine, theirs] = ['fleet', 'bare'].map((who) => median(times.map((round) => round[who])).toFixed(1))
        figures[`fleet ${name}, median of ${ROUNDS}`] = `${mine} ms against ${theirs}, ${ratio.toFixed(2)} x`
        return ratio
      })
      const ratio = Math.max(...ratios)
      return { figures, ratio: `${ratio.toFixed(2)} x, the slowest of them`, bar: '<= 2.0 x', pass: ratio <= 2.0 }
    }),
}
