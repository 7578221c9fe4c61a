import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FLEET } from './build.mjs'
import { environment, inFolder } from './measure.mjs'

const TASKS = 100_000
const BAR_MB = 300

export const listMemory = {
  name: 'list-memory',
  about: `peak memory of \`fleet bd list --json\` of ${TASKS} tasks`,
  run: () =>
    inFolder((folder) => {
      const home = folder.seed('home', { tasks: TASKS, dependencies: 3 * TASKS })
      const output = join(folder.path, 'list.json')
      const list = peakMegabytes([FLEET, 'bd', 'list', '--json', '--limit', '0'], { FLEET_HOME: home }, output)
      const listed = JSON.parse(readFileSync(output, 'utf8')).length
      if (listed !== TASKS) throw new Error(`${listed} of ${TASKS} tasks were listed`)
      const bare = peakMegabytes(['-e', '0'], {}, join(folder.path, 'nothing'))
      return {
        figures: {
          'fleet bd list --json': `${list.toFixed(0)} MB for ${(statSync(output).size / 1e6).toFixed(0)} MB of JSON`,
          'node -e 0': `${bare.toFixed(0)} MB`,
        },
        ratio: `${(list / bare).toFixed(2)} x`,
        bar: `<= ${BAR_MB} MB`,
        pass: list <= BAR_MB,
      }
    }),
}

/** The process itself reports its peak when it exits (bench/usage.cjs). */
function peakMegabytes(argv, env, output) {
  const file = openSync(output, 'w')
  const hook = ['--require', join(import.meta.dirname, 'usage.cjs')]
  const done = spawnSync(process.execPath, [...hook, ...argv], {
    env: environment(env),
    stdio: ['ignore', file, 'inherit', 'pipe'],
    encoding: 'utf8',
  })
  closeSync(file)
  if (done.status !== 0) throw new Error(`${argv.join(' ')} ended with ${done.status ?? done.signal}`)
  return JSON.parse(done.output[3]).peakKilobytes / 1024
}
